/* libsigndoc for C++: the credential-based signing interface (CSC). Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_CSC_HPP
#define SIGNDOC_CSC_HPP

#include <signdoc_orders.hpp>

namespace signdoc {

/** How hashes and PDFs are signed; the properties are those of signdoc_csc_request_set. */
class CscRequest {
public:
    CscRequest() : handle_(signdoc_csc_request_new()) {}

    CscRequest &set(const std::string &property, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_csc_request_set(handle_.get(), property.c_str(), value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** Gives PDFs a visible seal: points from the upper left corner, page from 1. */
    CscRequest &seal(double x, double y, std::uint32_t page, double width = 0, double height = 0) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_csc_request_set_seal(handle_.get(), x, y, page, width, height, &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_csc_request *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_csc_request, signdoc_csc_request_free> handle_;
};

/** A signing session: one login, one authorization, up to 50 signatures. */
class CscSession {
public:
    explicit CscSession(signdoc_csc_session *session) noexcept : handle_(session) {}

    const signdoc_csc_session *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_csc_session, signdoc_csc_session_free> handle_;
};

/** What was signed, in the order it was given: signature values or PDFs. */
class CscSigned {
public:
    explicit CscSigned(signdoc_csc_signed *made) noexcept : handle_(made) {}

    std::size_t size() const noexcept { return signdoc_csc_signed_count(handle_.get()); }
    /** The signature value, or the signed PDF where it is in memory. */
    View data(std::size_t index) const noexcept {
        signdoc_view view = signdoc_csc_signed_data(handle_.get(), index);
        return View{view.ptr, view.len};
    }
    /** The file a signed PDF was written to; empty where it was not. */
    std::string path(std::size_t index) const {
        return detail::text(signdoc_csc_signed_path(handle_.get(), index));
    }
    /** The PAdES baseline level a PDF has reached, such as "B-LT"; empty for signature values. */
    std::string level(std::size_t index) const {
        return detail::text(signdoc_csc_signed_level(handle_.get(), index));
    }
    /** All about the signed PDFs as a JSON array. */
    std::string json() const { return signdoc_csc_signed_json(handle_.get()); }

private:
    detail::Owned<signdoc_csc_signed, signdoc_csc_signed_free> handle_;
};

/** The credential-based interface of a client, which must live as long. */
class Csc {
public:
    explicit Csc(const Client &client) noexcept : client_(client.get()) {}

    /** What the interface says of itself, as JSON. */
    std::string info(const CallSettings &with = CallSettings()) const {
        return told(with, [&](signdoc_buffer *out, signdoc_error **error) {
            return signdoc_csc_info_json(client_, with.timeout_ms(), with.view(), out, error);
        });
    }

    /** The address to send the end user to; sends nothing. There is no sign_id. */
    Login begin(const std::string &redirect_uri, const CscRequest &request = CscRequest()) const {
        signdoc_login *found = nullptr;
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_csc_begin(client_, redirect_uri.c_str(), request.get(), &found, &error);
        detail::check(code, error);
        detail::Owned<signdoc_login, signdoc_login_free> login(found);
        return Login{signdoc_login_url(found), signdoc_login_sign_id(found),
                     signdoc_login_token(found)};
    }

    /** `callback`: the address the user came back to, or the form it posted. */
    CscSession finish(const std::string &token, const std::string &callback,
                      const CallSettings &with = CallSettings()) const {
        signdoc_csc_session *session = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_csc_finish(client_, token.c_str(), callback.c_str(),
                                               with.timeout_ms(), with.view(), &session, &error);
        detail::end(code, error, with);
        return CscSession(session);
    }

    /** The user's credentials as a JSON array: asked for once, then remembered. */
    std::string credentials(const CscSession &session,
                            const CallSettings &with = CallSettings()) const {
        return told(with, [&](signdoc_buffer *out, signdoc_error **error) {
            return signdoc_csc_credentials_json(client_, session.get(), with.timeout_ms(),
                                                with.view(), out, error);
        });
    }

    /** One of them as JSON, looked at anew, before anything is signed. */
    std::string credential_info(const CscSession &session, const std::string &credential_id,
                                const CallSettings &with = CallSettings()) const {
        return told(with, [&](signdoc_buffer *out, signdoc_error **error) {
            return signdoc_csc_credential_info_json(client_, session.get(), credential_id.c_str(),
                                                    with.timeout_ms(), with.view(), out, error);
        });
    }

    /**
     * Signs 1 to 50 digests, all of `hash_size` bytes, one behind the other: list, authorize,
     * signHash, and the check of each signature.
     */
    CscSigned sign_hashes(const CscSession &session, const std::string &hashes,
                          std::size_t hash_size = 32, const CscRequest &request = CscRequest(),
                          const CallSettings &with = CallSettings()) const {
        if (hash_size == 0 || hashes.size() % hash_size != 0) {
            throw std::invalid_argument("hashes are no multiple of hash_size");
        }
        const std::uint8_t *bytes = reinterpret_cast<const std::uint8_t *>(hashes.data());
        signdoc_csc_signed *made = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_csc_sign_hashes(
            client_, session.get(), bytes, hashes.size() / hash_size, hash_size, request.get(),
            with.timeout_ms(), with.view(), &made, &error);
        detail::end(code, error, with);
        return CscSigned(made);
    }

    /** Looks documents and destinations over, as should be done before a user is sent to log in. */
    void check_pdfs(const Documents &documents, const std::string &to_folder = "",
                    const CscRequest &request = CscRequest(),
                    const CallSettings &with = CallSettings()) const {
        signed_pdfs(nullptr, documents, to_folder, request, with);
    }

    /** Signs 1 to 50 PDFs; `to_folder` empty: they stay in memory. */
    CscSigned sign_pdfs(const CscSession &session, const Documents &documents,
                        const std::string &to_folder = "",
                        const CscRequest &request = CscRequest(),
                        const CallSettings &with = CallSettings()) const {
        return signed_pdfs(session.get(), documents, to_folder, request, with);
    }

private:
    template <typename Work> static std::string told(const CallSettings &with, Work work) {
        signdoc_buffer json = {nullptr, 0};
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = work(&json, &error);
        detail::end(code, error, with);
        return detail::taken(json);
    }

    CscSigned signed_pdfs(const signdoc_csc_session *session, const Documents &documents,
                          const std::string &to_folder, const CscRequest &request,
                          const CallSettings &with) const {
        signdoc_csc_signed *made = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        documents.forget();
        std::int32_t code = signdoc_csc_sign_pdfs(
            client_, session, documents.get(), detail::or_null(to_folder), request.get(),
            with.timeout_ms(), with.view(), &made, &error);
        detail::Owned<signdoc_error, signdoc_error_free> held(error);
        if (code == SIGNDOC_E_CALLBACK_FAILED) {
            documents.release();
        }
        detail::end(code, held.release(), with);
        return CscSigned(made);
    }

    const signdoc_client *client_;
};

} // namespace signdoc

#endif
