/* libsigndoc for C++: documents, and what came of converting them. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_DOCUMENTS_HPP
#define SIGNDOC_DOCUMENTS_HPP

#include <cstddef>
#include <functional>
#include <vector>

#include <signdoc_base.hpp>

namespace signdoc {

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

    /** Which document of the call it is about, from 0. */
    std::size_t index() const noexcept { return signdoc_results_document(results_, index_); }
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

/** Is told the result of the document at `index` as soon as it is there. */
using ResultFunction = std::function<void(std::size_t index, const Result &result)>;

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

    /** A text to be signed as a data object. One that ISO-8859-1 cannot hold is sent with a warning
     * in the log; the service may refuse it. */
    Documents &add_text(const std::string &text) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_text(handle_.get(), text.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** A document that has no content yet: set() gives it "text", or "xml" and "xls". */
    Documents &add_empty() {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_documents_add_text(handle_.get(), nullptr, &error);
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

    /** "pdf_spec" for conversions and orders; "text", "xml", "xls", "description" or "end_user_only"
     * for orders. */
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

    /** Has results of convert_many told as they come; those given in the end are without bytes. */
    ConvertOptions &on_result(ResultFunction function) {
        teller_.reset(new Teller(std::move(function)));
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_convert_options_set_result(handle_.get(), tell, teller_.get(), &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_convert_options *get() const noexcept { return handle_.get(); }

    /** For the calls: throws what a function threw. */
    void release() const {
        if (writer_) {
            writer_->thrown.release();
        }
        if (teller_) {
            teller_->thrown.release();
        }
    }

    /** For the calls: forgets what functions threw. */
    void forget() const noexcept {
        if (writer_) {
            writer_->thrown.forget();
        }
        if (teller_) {
            teller_->thrown.forget();
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

    struct Teller {
        explicit Teller(ResultFunction with) : function(std::move(with)) {}
        ResultFunction function;
        detail::Thrown thrown;
    };

    static std::int32_t tell(void *context, std::size_t index, const signdoc_results *result) {
        Teller *teller = static_cast<Teller *>(context);
        return teller->thrown.guard<std::int32_t>(-1, [&]() {
            teller->function(index, Result(result, 0));
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
    std::unique_ptr<Teller> teller_;
};

} // namespace signdoc

#endif
