/* libsigndoc for C++: verifying signed files and looking documents over. Part of signdoc.hpp.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef SIGNDOC_VERIFY_HPP
#define SIGNDOC_VERIFY_HPP

#include <signdoc_client.hpp>

namespace signdoc {

/** What is asked about signed files; signdoc_verify_options_set says which options there are. */
class VerifyOptions {
public:
    VerifyOptions() : handle_(signdoc_verify_options_new()) {}

    VerifyOptions &set(const std::string &key, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_verify_options_set(handle_.get(), key.c_str(), value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** "original", "trust" or "timestamp_trust" from memory, which stays as it is meanwhile. */
    VerifyOptions &set_bytes(const std::string &key, const void *data, std::size_t size) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_verify_options_set_bytes(handle_.get(), key.c_str(), data, size, &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_verify_options *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_verify_options, signdoc_verify_options_free> handle_;
};

/** One thing that was looked at. */
struct Check {
    std::string name;
    /** "passed", "failed" or "not_checked". */
    std::string status;
    std::string detail;
};

/** Who signed, as the certificate says, and the PAdES level that is reached. */
struct Signature {
    std::string signer;
    std::string level;
};

/** What a verification found. */
class Report {
public:
    explicit Report(signdoc_report *report) noexcept : handle_(report) {}

    /** Whether everything that counts was looked at and holds. */
    bool ok() const noexcept { return signdoc_report_ok(handle_.get()) != 0; }
    /** How the check of this name ended; "not_checked" where there is none. */
    std::string status(const std::string &name) const {
        return signdoc_report_status(handle_.get(), name.c_str());
    }
    std::vector<Check> checks() const {
        std::vector<Check> found;
        for (std::size_t i = 0; i < signdoc_report_check_count(handle_.get()); i++) {
            found.push_back(Check{signdoc_report_check_name(handle_.get(), i),
                                  signdoc_report_check_status(handle_.get(), i),
                                  signdoc_report_check_detail(handle_.get(), i)});
        }
        return found;
    }
    std::vector<Signature> signatures() const {
        std::vector<Signature> found;
        for (std::size_t i = 0; i < signdoc_report_signature_count(handle_.get()); i++) {
            found.push_back(
                Signature{detail::text(signdoc_report_signature_signer(handle_.get(), i)),
                          detail::text(signdoc_report_signature_level(handle_.get(), i))});
        }
        return found;
    }
    /** What matters most of what is wrong; it lives as long as this. */
    ErrorView problem() const noexcept {
        return ErrorView(signdoc_report_problem(handle_.get()));
    }
    std::string json() const { return signdoc_report_json(handle_.get()); }
    /** As a page for people: one HTML file without scripts, which loads nothing. */
    std::string html(const std::string &title = "") const {
        signdoc_buffer page = {nullptr, 0};
        signdoc_error *error = nullptr;
        const char *called = title.empty() ? nullptr : title.c_str();
        std::int32_t code = signdoc_report_html(handle_.get(), called, &page, &error);
        detail::check(code, error);
        return detail::taken(page);
    }

private:
    detail::Owned<signdoc_report, signdoc_report_free> handle_;
};

/**
 * Verifies a signed PDF or SEID-SDO file, or an evidence bundle of one, offline; several are the
 * results of serial sessions.
 */
inline Report verify(const Documents &documents, const VerifyOptions &options) {
    signdoc_report *report = nullptr;
    signdoc_error *error = nullptr;
    std::int32_t code = signdoc_verify(documents.get(), options.get(), &report, &error);
    detail::check(code, error);
    return Report(report);
}

/** What goes into an evidence bundle; signdoc_bundle_options_set says which options there are. */
class BundleOptions {
public:
    BundleOptions() : handle_(signdoc_bundle_options_new()) {}

    BundleOptions &set(const std::string &key, const std::string &value) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_bundle_options_set(handle_.get(), key.c_str(), value.c_str(), &error);
        detail::check(code, error);
        return *this;
    }

    /** A file from memory, which stays as it is meanwhile. */
    BundleOptions &set_bytes(const std::string &key, const void *data, std::size_t size) {
        signdoc_error *error = nullptr;
        std::int32_t code =
            signdoc_bundle_options_set_bytes(handle_.get(), key.c_str(), data, size, &error);
        detail::check(code, error);
        return *this;
    }

    const signdoc_bundle_options *get() const noexcept { return handle_.get(); }

private:
    detail::Owned<signdoc_bundle_options, signdoc_bundle_options_free> handle_;
};

/**
 * Writes an evidence bundle, one file that verify() checks in one call, and gives what that says of
 * it. Asks the timestamp authority of "tsa_url" and nobody else.
 */
inline Report bundle(const BundleOptions &options, const std::string &to) {
    signdoc_report *report = nullptr;
    signdoc_error *error = nullptr;
    std::int32_t code = signdoc_bundle(options.get(), to.c_str(), &report, &error);
    detail::check(code, error);
    return Report(report);
}

/** One thing that the service will refuse a document for, or its conversion warn about. */
struct Finding {
    std::string code;
    /** "error" where the service will refuse the document. */
    std::string severity;
    std::string message;
    std::string remedy;
};

/** What was found in a document. */
struct Findings {
    /** Whether the service will refuse it. */
    bool refused;
    std::vector<Finding> all;
};

/** Looks a document over, which the list must hold alone, before it is sent. */
inline Findings preflight(const Documents &documents) {
    signdoc_findings *found = nullptr;
    signdoc_error *error = nullptr;
    std::int32_t code = signdoc_preflight(documents.get(), &found, &error);
    detail::check(code, error);
    detail::Owned<signdoc_findings, signdoc_findings_free> owner(found);
    Findings told = {signdoc_findings_refused(found) != 0, {}};
    for (std::size_t i = 0; i < signdoc_findings_count(found); i++) {
        told.all.push_back(
            Finding{signdoc_findings_code(found, i), signdoc_findings_severity(found, i),
                    signdoc_findings_message(found, i), signdoc_findings_remedy(found, i)});
    }
    return told;
}

} // namespace signdoc

#endif
