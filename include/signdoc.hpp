/* libsigndoc for C++: what owns something frees it, and what fails throws.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Header only, C++11 and later, over the C interface, whose comments (signdoc.h) say more; error
 * numbers are its SIGNDOC_E_... constants. Handles can be moved, not copied.
 *
 * Functions of the caller's (readers, writers, progress, log) run on the thread that makes the
 * call. What they throw ends the call and comes out of it.
 */
#ifndef SIGNDOC_HPP
#define SIGNDOC_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <signdoc.h>

namespace signdoc {

class Download;
class Results;

namespace detail {

template <typename T, void (*Free)(T *)> struct Freer {
    void operator()(T *handle) const noexcept { Free(handle); }
};

/** Owns a handle. */
template <typename T, void (*Free)(T *)> using Owned = std::unique_ptr<T, Freer<T, Free>>;

inline std::string text(const char *text) { return text == nullptr ? std::string() : text; }

inline const char *or_null(const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
}

/** The first thing that a function of the caller's threw during a call. */
class Thrown {
public:
    /** Runs `work`; what it throws is kept, and `otherwise` given. */
    template <typename T, typename Work> T guard(T otherwise, Work work) noexcept {
        try {
            return work();
        } catch (...) {
            if (!first_) {
                first_ = std::current_exception();
            }
            return otherwise;
        }
    }

    void forget() noexcept { first_ = nullptr; }

    /** Throws it, if there is anything. */
    void release() {
        if (first_) {
            std::exception_ptr first = first_;
            first_ = nullptr;
            std::rethrow_exception(first);
        }
    }

private:
    std::exception_ptr first_;
};

} // namespace detail

/** Bytes that belong to another object and live as long as it does. */
struct View {
    const std::uint8_t *data;
    std::size_t size;

    std::string str() const {
        return size == 0 ? std::string() : std::string(reinterpret_cast<const char *>(data), size);
    }
};

/** What is known of a failure; belongs to another object and lives as long as it does. */
class ErrorView {
public:
    explicit ErrorView(const signdoc_error *error) noexcept : error_(error) {}

    /** Whether there is a failure. */
    explicit operator bool() const noexcept { return error_ != nullptr; }
    /** One of SIGNDOC_E_..., SIGNDOC_OK where there is none. */
    std::int32_t code() const noexcept { return signdoc_error_code(error_); }
    /** The service's own word where it has one, else this library's. */
    std::string name() const { return signdoc_error_name(error_); }
    /** The name of the number. */
    std::string constant() const { return signdoc_error_constant(error_); }
    /** What happened, where, and the remedy. */
    std::string message() const { return signdoc_error_message(error_); }
    /** What to do about errors with this number. */
    std::string advice() const { return signdoc_error_advice(error_); }
    /** The category as the interface specification has it. */
    std::string category() const { return signdoc_error_category(error_); }
    /** "local" or "service". */
    std::string origin() const { return signdoc_error_origin(error_); }
    /** The HTTP status; 0 where there was no answer. */
    std::int32_t http_status() const noexcept { return signdoc_error_http_status(error_); }
    /** The service's reference, for its support; empty where it gave none. */
    std::string reference() const { return detail::text(signdoc_error_reference(error_)); }
    /** Whether the same call may succeed later. */
    bool retryable() const noexcept { return signdoc_error_retryable(error_) != 0; }
    /** How long the service asked to wait; below zero where it did not say. */
    std::chrono::milliseconds retry_after() const noexcept {
        return std::chrono::milliseconds(signdoc_error_retry_after_ms(error_));
    }
    /** What a program may want to know besides, as a JSON object. */
    std::string details_json() const { return signdoc_error_details_json(error_); }
    /** All of it as a JSON object, without bytes of documents. */
    std::string json() const { return signdoc_error_json(error_); }

protected:
    const signdoc_error *error_;
};

/** What the library throws. Copies share one failure. */
class Error : public std::runtime_error, public ErrorView {
public:
    /** Takes the failure over. */
    explicit Error(signdoc_error *error)
        : std::runtime_error(signdoc_error_message(error)), ErrorView(error),
          owner_(error, signdoc_error_free) {}

    /** The results of a conversion that failed as a whole or in part; they live as long as this. */
    inline Results results() const;
    /** What arrived of a download that failed; it lives as long as this. */
    inline Download download() const;

private:
    std::shared_ptr<signdoc_error> owner_;
};

namespace detail {

/** Throws unless a function of the C interface succeeded. */
inline void check(std::int32_t code, signdoc_error *error) {
    if (code == SIGNDOC_OK) {
        return;
    }
    if (error == nullptr) {
        throw std::bad_alloc();
    }
    throw Error(error);
}

inline std::string taken(signdoc_buffer buffer) {
    std::string text(reinterpret_cast<const char *>(buffer.ptr), buffer.len);
    signdoc_buffer_free(&buffer);
    return text;
}

} // namespace detail

/** The version of the library that is loaded. */
inline std::string version() { return signdoc_version(); }

/** Explains a number, name or constant of the error table. */
inline std::string explain(const std::string &word) {
    signdoc_buffer buffer = {nullptr, 0};
    signdoc_error *error = nullptr;
    std::int32_t code = signdoc_explain(word.c_str(), &buffer, &error);
    detail::check(code, error);
    return detail::taken(buffer);
}

/** The options of a client, under the same keys as everywhere. */
class Options {
public:
    Options() : handle_(signdoc_options_new()) {}

    Options &set(const std::string &key, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_options_set(handle_.get(), key.c_str(), value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** Takes what is not set yet from SIGNDOC_ISSUER and so on. */
    Options &from_env() {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_options_from_env(handle_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_options *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_options, signdoc_options_free> handle_;
};

/** A warning, or a reason why a document was not converted. */
struct Remark {
    /** SIGNDOC_WARNING_... or SIGNDOC_E_CONVERSION_...; 0 for what the specification does not have. */
    std::int32_t code;
    std::string name;
    std::string message;
};

/** What came of one document; belongs to its Results. */
class Result {
public:
    Result(const signdoc_results *results, std::size_t index) noexcept
        : results_(results), index_(index) {}

    std::size_t index() const noexcept { return index_; }
    bool converted() const noexcept { return signdoc_results_converted(results_, index_) != 0; }
    bool failed() const noexcept { return signdoc_results_failed(results_, index_) != 0; }
    /** Whether an earlier run of the batch converted the document, so that it was not sent again. */
    bool resumed() const noexcept { return signdoc_results_resumed(results_, index_) != 0; }
    /** Empty where the service gave none. */
    std::string conversion_id() const {
        return detail::text(signdoc_results_conversion_id(results_, index_));
    }
    /** Empty where the service gave none. */
    std::string description() const {
        return detail::text(signdoc_results_description(results_, index_));
    }
    /** Where it was written; empty where it was not. */
    std::string path() const { return detail::text(signdoc_results_path(results_, index_)); }
    std::uint64_t size() const noexcept { return signdoc_results_size(results_, index_); }
    /** Its bytes where the results are in memory. */
    View data() const noexcept {
        signdoc_view view = signdoc_results_data(results_, index_);
        return View{view.ptr, view.len};
    }
    std::vector<Remark> warnings() const {
        std::vector<Remark> found;
        for (std::size_t i = 0; i < signdoc_results_warning_count(results_, index_); i++) {
            found.push_back(Remark{signdoc_results_warning_code(results_, index_, i),
                                   signdoc_results_warning_name(results_, index_, i),
                                   signdoc_results_warning_message(results_, index_, i)});
        }
        return found;
    }
    std::vector<Remark> errors() const {
        std::vector<Remark> found;
        for (std::size_t i = 0; i < signdoc_results_error_count(results_, index_); i++) {
            found.push_back(Remark{signdoc_results_error_code(results_, index_, i),
                                   signdoc_results_error_name(results_, index_, i),
                                   signdoc_results_error_message(results_, index_, i)});
        }
        return found;
    }
    /** Why it could not be sent or its call failed, after convert_many. */
    ErrorView failure() const noexcept {
        return ErrorView(signdoc_results_failure(results_, index_));
    }

private:
    const signdoc_results *results_;
    std::size_t index_;
};

/** What came of the documents, in their order. */
class Results {
public:
    /** Takes the results over; those of an error stay the error's. */
    explicit Results(signdoc_results *results) noexcept : owner_(results), results_(results) {}
    explicit Results(const signdoc_results *results) noexcept : results_(results) {}

    std::size_t size() const noexcept { return signdoc_results_count(results_); }
    bool empty() const noexcept { return size() == 0; }
    Result operator[](std::size_t index) const noexcept { return Result(results_, index); }
    /** All of it as a JSON array, without bytes of documents. */
    std::string json() const { return signdoc_results_json(results_); }

    class Iterator {
    public:
        Iterator(const signdoc_results *results, std::size_t index) noexcept
            : results_(results), index_(index) {}
        Result operator*() const noexcept { return Result(results_, index_); }
        Iterator &operator++() noexcept {
            ++index_;
            return *this;
        }
        bool operator!=(const Iterator &other) const noexcept { return index_ != other.index_; }

    private:
        const signdoc_results *results_;
        std::size_t index_;
    };

    Iterator begin() const noexcept { return Iterator(results_, 0); }
    Iterator end() const noexcept { return Iterator(results_, size()); }

private:
    detail::Owned<signdoc_results, signdoc_results_free> owner_;
    const signdoc_results *results_;
};

inline Results Error::results() const { return Results(signdoc_error_results(error_)); }

/** Reads the next bytes of a document into `buffer`, at most `room`: how many, 0 at the end. */
using ReadFunction = std::function<std::size_t(void *buffer, std::size_t room)>;

/** Takes the next bytes of the result at `index`; with `size` 0 it is complete. */
using WriteFunction = std::function<void(std::size_t index, const void *bytes, std::size_t size)>;

/** The documents of a call. */
class Documents {
public:
    Documents() : handle_(signdoc_documents_new()) {}

    Documents &add_path(const std::string &path) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_path(handle_.get(), path.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** The bytes are not copied: they stay as they are until the last call has returned. */
    Documents &add_bytes(const void *data, std::size_t size, const std::string &name = "") {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_bytes(handle_.get(), data, size,
                                                        detail::or_null(name), &error);
        detail::check(code, error);
        return *this;
    }

    /** `size` below 0: not known. Read by one call, before anything of it is sent. */
    Documents &add_reader(ReadFunction function, std::int64_t size = -1,
                          const std::string &name = "") {
        readers_.push_back(std::unique_ptr<Reader>(new Reader(std::move(function))));
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_reader(
            handle_.get(), read, readers_.back().get(), size, detail::or_null(name), &error);
        detail::check(code, error);
        return *this;
    }

    /** Lets the service convert a document that is signed; its signature is removed. */
    Documents &allow_signed(std::size_t index, bool allow = true) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_documents_set_allow_signed(handle_.get(), index, allow ? 1 : 0, &error);
        detail::check(code, error);
        return *this;
    }

    /** A text to be signed as a data object; ISO-8859-1 must be able to hold it. */
    Documents &add_text(const std::string &text) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_text(handle_.get(), text.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** XML to be signed as a data object, with the stylesheet that shows it. */
    Documents &add_xml(const std::string &xml, const std::string &xls) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_documents_add_xml(handle_.get(), xml.c_str(), xls.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** For orders: "description", "pdf_spec" or "end_user_only". */
    Documents &set(std::size_t index, const std::string &property, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_set(handle_.get(), index, property.c_str(),
                                                  value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** For PAdES orders: where a visual seal stands. SIGNDOC_SEAL_..., points, page from 1. */
    Documents &seal(std::size_t index, std::int32_t whose, double x, double y, std::int64_t page) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_documents_set_seal(handle_.get(), index, whose, x, y, page, &error);
        detail::check(code, error);
        return *this;
    }

    std::size_t size() const noexcept { return signdoc_documents_count(handle_.get()); }
    const signdoc_documents *get() const noexcept { return handle_.get(); }

    /** For the calls: throws what a reader threw. */
    void release() const {
        for (const std::unique_ptr<Reader> &reader : readers_) {
            reader->thrown.release();
        }
    }

    /** For the calls: forgets what readers threw. */
    void forget() const noexcept {
        for (const std::unique_ptr<Reader> &reader : readers_) {
            reader->thrown.forget();
        }
    }

private:
    struct Reader {
        explicit Reader(ReadFunction with) : function(std::move(with)) {}
        ReadFunction function;
        detail::Thrown thrown;
    };

    static std::int64_t read(void *context, void *buffer, std::size_t room) {
        Reader *reader = static_cast<Reader *>(context);
        return reader->thrown.guard<std::int64_t>(-1, [&]() {
            return static_cast<std::int64_t>(reader->function(buffer, room));
        });
    }

    detail::Owned<signdoc_documents, signdoc_documents_free> handle_;
    std::vector<std::unique_ptr<Reader>> readers_;
};

/** How a conversion is made. */
class ConvertOptions {
public:
    ConvertOptions() : handle_(signdoc_convert_options_new()) {}

    /** Whether a document that is not converted makes the call throw (the default). */
    ConvertOptions &strict(bool strict) {
        return set(signdoc_convert_options_set_strict, strict ? 1 : 0);
    }
    /** Whether files may be replaced. */
    ConvertOptions &overwrite(bool overwrite) {
        return set(signdoc_convert_options_set_overwrite, overwrite ? 1 : 0);
    }
    /** Calls of convert_many at the same time, 1 to 64. */
    ConvertOptions &concurrency(std::size_t calls) {
        return set(signdoc_convert_options_set_concurrency, calls);
    }
    /** A file that remembers what convert_many has done. */
    ConvertOptions &resume(const std::string &path) {
        return set(signdoc_convert_options_set_resume, path.c_str());
    }
    /** Has results handed over instead of keeping them in memory. */
    ConvertOptions &writer(WriteFunction function) {
        writer_.reset(new Writer(std::move(function)));
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_convert_options_set_writer(handle_.get(), write, writer_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_convert_options *get() const noexcept { return handle_.get(); }

    /** For the calls: throws what the writer threw. */
    void release() const {
        if (writer_) {
            writer_->thrown.release();
        }
    }

    /** For the calls: forgets what the writer threw. */
    void forget() const noexcept {
        if (writer_) {
            writer_->thrown.forget();
        }
    }

private:
    struct Writer {
        explicit Writer(WriteFunction with) : function(std::move(with)) {}
        WriteFunction function;
        detail::Thrown thrown;
    };

    static std::int32_t write(void *context, std::size_t index, const void *bytes,
                              std::size_t size) {
        Writer *writer = static_cast<Writer *>(context);
        return writer->thrown.guard<std::int32_t>(-1, [&]() {
            writer->function(index, bytes, size);
            return 0;
        });
    }

    template <typename Setter, typename Value> ConvertOptions &set(Setter setter, Value value) {
        signdoc_error *error = nullptr;
        std::int32_t code = setter(handle_.get(), value, &error);
        detail::check(code, error);
        return *this;
    }

    detail::Owned<signdoc_convert_options, signdoc_convert_options_free> handle_;
    std::unique_ptr<Writer> writer_;
};

/** How far a call is, in bytes. */
struct Progress {
    std::uint64_t to_send;
    std::uint64_t sent;
    std::uint64_t received;
};

/** The last answer of a call, for support. */
struct Answer {
    /** 0 where no answer came. */
    std::int32_t status;
    std::vector<std::pair<std::string, std::string>> headers;
    /** Empty for answers that carry documents or tokens. */
    std::string body;
};

/** A view of one call: ends it, follows it, and tells its last answer. */
class Call {
public:
    using ProgressFunction = std::function<void(const Progress &progress)>;
    using LogFunction = std::function<void(std::int32_t level, const std::string &correlation_id,
                                           const std::string &message)>;
    using StateFunction = std::function<void(const std::string &state)>;

    Call() : handle_(signdoc_call_new()), state_(new State) {}

    /** Ends the call, from any thread. */
    void cancel() const noexcept { signdoc_call_cancel(handle_.get()); }

    Progress progress() const {
        Progress now = {0, 0, 0};
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_progress(handle_.get(), &now.to_send, &now.sent,
                                                  &now.received, &error);
        detail::check(code, error);
        return now;
    }

    Call &on_progress(ProgressFunction function) {
        state_->progress = std::move(function);
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_set_progress(
            handle_.get(), state_->progress ? told_progress : nullptr, state_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    /** `least`: SIGNDOC_LOG_DEBUG, SIGNDOC_LOG_INFO or SIGNDOC_LOG_WARNING. */
    Call &on_log(std::int32_t least, LogFunction function) {
        state_->log = std::move(function);
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_set_log(
            handle_.get(), least, state_->log ? told_log : nullptr, state_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    /** Is told the states of an order that is waited for. */
    Call &on_state(StateFunction function) {
        state_->state = std::move(function);
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_set_state(
            handle_.get(), state_->state ? told_state : nullptr, state_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    std::string correlation_id() const { return signdoc_call_correlation_id(handle_.get()); }

    Answer last_answer() const {
        signdoc_answer *found = nullptr;
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_last_answer(handle_.get(), &found, &error);
        detail::check(code, error);
        detail::Owned<signdoc_answer, signdoc_answer_free> answer(found);
        Answer told = {signdoc_answer_status(found), {}, detail::text(signdoc_answer_body(found))};
        for (std::size_t i = 0; i < signdoc_answer_header_count(found); i++) {
            told.headers.emplace_back(signdoc_answer_header_name(found, i),
                                      signdoc_answer_header_value(found, i));
        }
        return told;
    }

    const signdoc_call *get() const noexcept { return handle_.get(); }

    /** For the calls: throws what a function of the caller's threw. */
    void release() const { state_->thrown.release(); }

    /** For the calls: forgets what functions threw. */
    void forget() const noexcept { state_->thrown.forget(); }

private:
    struct State {
        ProgressFunction progress;
        LogFunction log;
        StateFunction state;
        detail::Thrown thrown;
    };

    static std::int32_t told_progress(void *context, std::uint64_t to_send, std::uint64_t sent,
                                      std::uint64_t received) {
        State *state = static_cast<State *>(context);
        return state->thrown.guard<std::int32_t>(-1, [&]() {
            state->progress(Progress{to_send, sent, received});
            return 0;
        });
    }

    static std::int32_t told_log(void *context, std::int32_t level, const char *id,
                                 const char *message) {
        State *state = static_cast<State *>(context);
        return state->thrown.guard<std::int32_t>(-1, [&]() {
            state->log(level, id, message);
            return 0;
        });
    }

    static std::int32_t told_state(void *context, const char *text) {
        State *state = static_cast<State *>(context);
        return state->thrown.guard<std::int32_t>(-1, [&]() {
            state->state(text);
            return 0;
        });
    }

    detail::Owned<signdoc_call, signdoc_call_free> handle_;
    std::unique_ptr<State> state_;
};

/** The time a call may take, and its view; neither has to be given. */
struct CallSettings {
    CallSettings() : timeout(0), call(nullptr) {}
    explicit CallSettings(std::chrono::milliseconds limit) : timeout(limit), call(nullptr) {}
    CallSettings(const Call &view) : timeout(0), call(&view) {}
    CallSettings(const Call &view, std::chrono::milliseconds limit)
        : timeout(limit), call(&view) {}

    std::uint64_t timeout_ms() const noexcept {
        return static_cast<std::uint64_t>(timeout.count() < 0 ? 0 : timeout.count());
    }
    const signdoc_call *view() const noexcept { return call == nullptr ? nullptr : call->get(); }

    /** Zero: the client's own limit. */
    std::chrono::milliseconds timeout;
    const Call *call;
};

namespace detail {

inline void begin(const CallSettings &with) noexcept {
    if (with.call != nullptr) {
        with.call->forget();
    }
}

/** Throws unless a call succeeded; what a function of the caller's threw says more than that. */
inline void end(std::int32_t code, signdoc_error *error, const CallSettings &with) {
    Owned<signdoc_error, signdoc_error_free> held(error);
    if (code == SIGNDOC_E_CALLBACK_FAILED && with.call != nullptr) {
        with.call->release();
    }
    check(code, held.release());
}

} // namespace detail

/** A client of the service, for any number of threads. */
class Client {
public:
    explicit Client(const Options &options) {
        signdoc_client *client = nullptr;
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_client_new(options.get(), &client, &error);
        detail::check(code, error);
        handle_.reset(client);
    }

    /** From SIGNDOC_ISSUER, SIGNDOC_CLIENT_ID and so on. */
    static Client from_env() { return Client(Options().from_env()); }

    /** Refuses further calls. */
    void close() const {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_client_close(handle_.get(), &error);
        detail::check(code, error);
    }

    /** Moves the client's clock away from the system's. */
    void set_clock_offset(std::chrono::milliseconds offset) const {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_client_set_clock_offset(handle_.get(), offset.count(), &error);
        detail::check(code, error);
    }

    /** The conversions that the service supports. */
    std::vector<std::string> conversion_specs(const CallSettings &with = CallSettings()) const {
        signdoc_strings *found = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_conversion_specs(handle_.get(), with.timeout_ms(),
                                                     with.view(), &found, &error);
        detail::end(code, error, with);
        detail::Owned<signdoc_strings, signdoc_strings_free> strings(found);
        std::vector<std::string> specs;
        for (std::size_t i = 0; i < signdoc_strings_count(found); i++) {
            specs.push_back(signdoc_strings_get(found, i));
        }
        return specs;
    }

    /** Converts 1 to 15 documents; `to_folder` empty: the results stay in memory. */
    Results convert(const Documents &documents, const std::string &to_folder = "",
                    const ConvertOptions &options = ConvertOptions(),
                    const CallSettings &with = CallSettings()) const {
        return converted(signdoc_convert, documents, to_folder, options, with);
    }

    /** Converts any number of documents, each on its own. */
    Results convert_many(const Documents &documents, const std::string &to_folder = "",
                         const ConvertOptions &options = ConvertOptions(),
                         const CallSettings &with = CallSettings()) const {
        return converted(signdoc_convert_many, documents, to_folder, options, with);
    }

    const signdoc_client *get() const noexcept { return handle_.get(); }

private:
    template <typename Function>
    Results converted(Function function, const Documents &documents, const std::string &to_folder,
                      const ConvertOptions &options, const CallSettings &with) const {
        signdoc_results *results = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        documents.forget();
        options.forget();
        std::int32_t code =
            function(handle_.get(), documents.get(), detail::or_null(to_folder), options.get(),
                     with.timeout_ms(), with.view(), &results, &error);
        detail::Owned<signdoc_error, signdoc_error_free> held(error);
        if (code == SIGNDOC_E_CALLBACK_FAILED) {
            documents.release();
            options.release();
        }
        detail::end(code, held.release(), with);
        return Results(results);
    }

    detail::Owned<signdoc_client, signdoc_client_free> handle_;
};

} // namespace signdoc

#include <signdoc_orders.hpp>
#include <signdoc_verify.hpp>

#endif
