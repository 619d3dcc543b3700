/* libsigndoc for C++: the client, and a view of its calls. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_CLIENT_HPP
#define SIGNDOC_CLIENT_HPP

#include <utility>

#include <signdoc_documents.hpp>

namespace signdoc {

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

    /**
     * What calls with this view may take for a connection, and of silence on one. Zero: the
     * client's own limit. The time in all is CallSettings::timeout.
     */
    Call &timeouts(std::chrono::milliseconds connect, std::chrono::milliseconds read) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_call_set_timeouts(
            handle_.get(), detail::milliseconds(connect), detail::milliseconds(read), &error);
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

/** The time a call may take in all, and its view (with Call::timeouts); neither has to be given. */
struct CallSettings {
    CallSettings() : timeout(0), call(nullptr) {}
    explicit CallSettings(std::chrono::milliseconds limit) : timeout(limit), call(nullptr) {}
    CallSettings(const Call &view) : timeout(0), call(&view) {}
    CallSettings(const Call &view, std::chrono::milliseconds limit)
        : timeout(limit), call(&view) {}

    std::uint64_t timeout_ms() const noexcept { return detail::milliseconds(timeout); }
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

#endif
