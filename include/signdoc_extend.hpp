/* libsigndoc for C++: long-term proof for signed PDFs. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_EXTEND_HPP
#define SIGNDOC_EXTEND_HPP

#include <signdoc_client.hpp>

namespace signdoc {

/** How a signed PDF is extended; signdoc_extend_options_set says which options there are. */
class ExtendOptions {
public:
    ExtendOptions() : handle_(signdoc_extend_options_new()) {}

    ExtendOptions &set(const std::string &key, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_extend_options_set(handle_.get(), key.c_str(), value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** "trust", "timestamp_trust", "certificates" or "revocations" from memory, which stays as it
     * is meanwhile. */
    ExtendOptions &set_bytes(const std::string &key, const void *data, std::size_t size) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_extend_options_set_bytes(handle_.get(), key.c_str(), data, size, &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_extend_options *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_extend_options, signdoc_extend_options_free> handle_;
};

/** An extended PDF, and what was added to it. */
class Extended {
public:
    explicit Extended(signdoc_extended *made) noexcept : handle_(made) {}

    /** The PDF where it is in memory. */
    View data() const noexcept {
        signdoc_view view = signdoc_extended_data(handle_.get());
        return View{view.ptr, view.len};
    }
    /** The file it was written to; empty where it is in memory. */
    std::string path() const { return detail::text(signdoc_extended_path(handle_.get())); }
    /** The PAdES baseline level that all signatures reach; empty where one reaches none. */
    std::string level() const { return detail::text(signdoc_extended_level(handle_.get())); }
    /** Whether that is at least the level that was asked for. */
    bool reached() const noexcept { return signdoc_extended_reached(handle_.get()) != 0; }
    /** All about it as a JSON object, what could not be had included. */
    std::string json() const { return signdoc_extended_json(handle_.get()); }

private:
    detail::Owned<signdoc_extended, signdoc_extended_free> handle_;
};

/** Adds to a signed PDF, which the list must hold alone, what its validation needs when its
 * certificates have ended. Of `network`, "tsa_url" and the options about connections count. */
inline Extended extend(const Documents &documents, const Options &network,
                       const ExtendOptions &options = ExtendOptions(),
                       const std::string &to_file = "",
                       const CallSettings &with = CallSettings()) {
    signdoc_extended *made = nullptr;
    signdoc_error *error = nullptr;
    detail::begin(with);
    documents.forget();
    std::int32_t code =
        signdoc_extend(documents.get(), network.get(), options.get(), detail::or_null(to_file),
                       with.timeout_ms(), with.view(), &made, &error);
    detail::Owned<signdoc_error, signdoc_error_free> held(error);
    if (code == SIGNDOC_E_CALLBACK_FAILED) {
        documents.release();
    }
    detail::end(code, held.release(), with);
    return Extended(made);
}

} // namespace signdoc

#endif
