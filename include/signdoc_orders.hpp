/* libsigndoc for C++: sign orders and the login of their end users. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_ORDERS_HPP
#define SIGNDOC_ORDERS_HPP

#include <signdoc_client.hpp>

namespace signdoc {

/** The properties of an order; signdoc_order_request_set says which there are. */
class OrderRequest {
public:
    explicit OrderRequest(const std::string &name) : handle_(signdoc_order_request_new()) {
        set("name", name);
    }

    OrderRequest &set(const std::string &property, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_order_request_set(handle_.get(), property.c_str(),
                                                      value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_order_request *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_order_request, signdoc_order_request_free> handle_;
};

/** An order the service has, or what is known of it. */
class Order {
public:
    /** Takes the order over; that of an error stays the error's. */
    explicit Order(signdoc_order *order) noexcept : owner_(order), order_(order) {}
    explicit Order(const signdoc_order *order) noexcept : order_(order) {}

    /** An order of which only the reference is known; `kind` is SIGNDOC_ORDER_... */
    static Order of(std::int32_t kind, const std::string &sign_id) {
        signdoc_order *order = nullptr;
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_order_of(kind, sign_id.c_str(), &order, &error);
        detail::check(code, error);
        return Order(order);
    }

    /** An order that another process has created, from what json() gave there. */
    static Order from_json(const Client &client, const std::string &saved) {
        signdoc_order *order = nullptr;
        signdoc_error *error = nullptr;
        std::int32_t code = signdoc_order_from_json(client.get(), saved.c_str(), &order, &error);
        detail::check(code, error);
        return Order(order);
    }

    std::string sign_id() const { return signdoc_order_sign_id(order_); }
    std::int32_t kind() const noexcept { return signdoc_order_kind(order_); }
    /** How long it still lives, as far as it is known here; below zero where it is not. */
    std::chrono::milliseconds expires_in() const noexcept {
        return std::chrono::milliseconds(signdoc_order_expires_in_ms(order_));
    }
    /** What conversion gave, where it was asked for; it lives as long as this. */
    Results conversions() const { return Results(signdoc_order_conversions(order_)); }
    std::string json() const { return signdoc_order_json(order_); }

    /** Whether there is an order: an error need not have one. */
    explicit operator bool() const noexcept { return order_ != nullptr; }
    const signdoc_order *get() const noexcept { return order_; }

private:
    detail::Owned<signdoc_order, signdoc_order_free> owner_;
    const signdoc_order *order_;
};

/** A state of an order. */
struct State {
    /** Also what the specification does not have. */
    std::string text;
    /** Whether the order changes no more by itself. */
    bool is_final;
};

/** What a download brought. Parts are SIGNDOC_PART_... */
class Download {
public:
    /** Takes the download over; that of an error stays the error's. */
    explicit Download(signdoc_download *download) noexcept
        : owner_(download), download_(download) {}
    explicit Download(const signdoc_download *download) noexcept : download_(download) {}

    std::size_t size() const noexcept { return signdoc_download_count(download_); }
    std::string sign_id() const { return signdoc_download_sign_id(download_); }
    std::string client_id() const { return detail::text(signdoc_download_client_id(download_)); }
    std::string order_name() const { return detail::text(signdoc_download_order_name(download_)); }
    std::string order_state() const {
        return detail::text(signdoc_download_order_state(download_));
    }
    /** The bytes of a part where the results are in memory. */
    View data(std::size_t index, std::int32_t part = SIGNDOC_PART_DOCUMENT) const noexcept {
        signdoc_view view = signdoc_download_data(download_, index, part);
        return View{view.ptr, view.len};
    }
    /** Where a part was written; empty where it was not. */
    std::string path(std::size_t index, std::int32_t part = SIGNDOC_PART_DOCUMENT) const {
        return detail::text(signdoc_download_path(download_, index, part));
    }
    std::string description(std::size_t index) const {
        return detail::text(signdoc_download_description(download_, index));
    }
    /** As the service states it, in base64; empty where it does not. */
    std::string signed_sha256(std::size_t index) const {
        return detail::text(signdoc_download_signed_sha256(download_, index));
    }
    /** As the service states it, in base64; empty where it does not. */
    std::string unsigned_sha256(std::size_t index) const {
        return detail::text(signdoc_download_unsigned_sha256(download_, index));
    }
    std::string json() const { return signdoc_download_json(download_); }

private:
    detail::Owned<signdoc_download, signdoc_download_free> owner_;
    const signdoc_download *download_;
};

inline Download Error::download() const { return Download(signdoc_error_download(error_)); }

inline Order Error::order() const { return Order(signdoc_error_order(error_)); }

/** How many downloads of this process are being received, waited for or not. */
inline std::size_t downloads_receiving() noexcept { return signdoc_downloads_receiving(); }

/** Waits until all of them have been received, at most so long (0: until they end by themselves),
 * and tells how many have not. For the end of a program: the service has deleted those orders. */
inline std::size_t
finish_downloads(std::chrono::milliseconds limit = std::chrono::milliseconds(0)) noexcept {
    return signdoc_downloads_finish(detail::milliseconds(limit));
}

/** The sign orders of a client, which must live as long. */
class Orders {
public:
    explicit Orders(const Client &client) noexcept : client_(client.get()) {}

    /** Creates an order; `kind` is SIGNDOC_ORDER_PADES or SIGNDOC_ORDER_SDO. Documents that were not
     * converted are told by its conversions(); where the request is "strict" it throws, and the order
     * is in Error::order(). */
    Order create(std::int32_t kind, const OrderRequest &request, const Documents &documents,
                 const CallSettings &with = CallSettings()) const {
        signdoc_order *order = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        documents.forget();
        std::int32_t code =
            signdoc_order_create(client_, kind, request.get(), documents.get(), with.timeout_ms(),
                                 with.view(), &order, &error);
        detail::Owned<signdoc_error, signdoc_error_free> held(error);
        if (code == SIGNDOC_E_CALLBACK_FAILED) {
            documents.release();
        }
        detail::end(code, held.release(), with);
        return Order(order);
    }

    State state(const Order &order, const CallSettings &with = CallSettings()) const {
        signdoc_buffer text = {nullptr, 0};
        std::int32_t is_final = 0;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_order_state(client_, order.get(), with.timeout_ms(),
                                                with.view(), &text, &is_final, &error);
        detail::end(code, error, with);
        return State{detail::taken(text), is_final != 0};
    }

    /** Waits until the state is final, or one of `until` (with commas between). */
    State wait(const Order &order, const std::string &until = "",
               const CallSettings &with = CallSettings()) const {
        signdoc_buffer text = {nullptr, 0};
        std::int32_t is_final = 0;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code =
            signdoc_order_wait(client_, order.get(), detail::or_null(until), with.timeout_ms(),
                               with.view(), &text, &is_final, &error);
        detail::end(code, error, with);
        return State{detail::taken(text), is_final != 0};
    }

    /** Downloads the results, which deletes the order: what comes is the only copy. Into memory
     * where `to_folder` is empty, which cannot promise as much as a folder. A time limit or a
     * cancellation ends the waiting, never the reception (SIGNDOC_E_RECEPTION_CONTINUES): see
     * finish_downloads. */
    Download download(const Order &order, const std::string &to_folder,
                      const CallSettings &with = CallSettings(), std::uint32_t flags = 0,
                      const Documents *originals = nullptr) const {
        signdoc_download *download = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_order_download(
            client_, order.get(), detail::or_null(to_folder),
            originals == nullptr ? nullptr : originals->get(), flags, with.timeout_ms(),
            with.view(), &download, &error);
        detail::end(code, error, with);
        return Download(download);
    }

    /** Ends an order on purpose, with what was signed; gives the service's last answer about it:
     * its state, and results in memory where there were some. */
    Download discard(const Order &order, const CallSettings &with = CallSettings()) const {
        signdoc_download *last = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_order_discard(client_, order.get(), with.timeout_ms(),
                                                  with.view(), &last, &error);
        detail::end(code, error, with);
        return Download(last);
    }

    /** Finishes downloads into `folder` that were interrupted: a JSON array of what was found. */
    std::string recover(const std::string &folder,
                        const CallSettings &with = CallSettings()) const {
        signdoc_buffer told = {nullptr, 0};
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_recover(client_, folder.c_str(), with.timeout_ms(),
                                            with.view(), &told, &error);
        detail::end(code, error, with);
        return detail::taken(told);
    }

private:
    const signdoc_client *client_;
};

/** A login that has begun. */
struct Login {
    /** Where to send the end user. */
    std::string url;
    std::string sign_id;
    /** What finishes it, in any process. */
    std::string token;
};

/** Who signed. */
struct Identity {
    std::string sign_id;
    std::string subject;
    /** All claims of the verified ID token, as a JSON object. */
    std::string claims_json;
};

/** The logins of a client's end users; the client must live as long. */
class Logins {
public:
    explicit Logins(const Client &client) noexcept : client_(client.get()) {}

    /** Empty texts are not sent. */
    Login begin(const Order &order, const std::string &redirect_uri,
                const CallSettings &with = CallSettings(), const std::string &ui_locales = "",
                const std::string &scopes = "", const std::string &response_mode = "") const {
        signdoc_login *found = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_login_begin(
            client_, order.get(), redirect_uri.c_str(), detail::or_null(ui_locales),
            detail::or_null(scopes), detail::or_null(response_mode), with.timeout_ms(),
            with.view(), &found, &error);
        detail::end(code, error, with);
        detail::Owned<signdoc_login, signdoc_login_free> login(found);
        return Login{signdoc_login_url(found), signdoc_login_sign_id(found),
                     signdoc_login_token(found)};
    }

    /** `callback`: the address the user came back to, or the form it posted. */
    Identity finish(const std::string &token, const std::string &callback,
                    const CallSettings &with = CallSettings()) const {
        signdoc_identity *found = nullptr;
        signdoc_error *error = nullptr;
        detail::begin(with);
        std::int32_t code = signdoc_login_finish(client_, token.c_str(), callback.c_str(),
                                                 with.timeout_ms(), with.view(), &found, &error);
        detail::end(code, error, with);
        detail::Owned<signdoc_identity, signdoc_identity_free> identity(found);
        return Identity{signdoc_identity_sign_id(found), signdoc_identity_subject(found),
                        signdoc_identity_claims_json(found)};
    }

private:
    const signdoc_client *client_;
};

} // namespace signdoc

#endif
