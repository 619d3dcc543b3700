/* libsigndoc for C++: errors, options, and what all parts share. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_BASE_HPP
#define SIGNDOC_BASE_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include <signdoc.h>

namespace signdoc {

class Download;
class Order;
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

/** As C takes a limit: nothing below zero, which is the client's own. */
inline std::uint64_t milliseconds(std::chrono::milliseconds limit) noexcept {
    return static_cast<std::uint64_t>(limit.count() < 0 ? 0 : limit.count());
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
    /** The order that exists although the call failed, false where there is none; it lives as long
     * as this. */
    inline Order order() const;
    /** The answer to a download to memory that could not be taken apart: the only copy. */
    View raw_answer() const noexcept {
        signdoc_view view = signdoc_error_raw_answer(error_);
        return View{view.ptr, view.len};
    }

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

} // namespace signdoc

#endif
