/* The cases of tests/vectors/verification.json through the C++ headers. */
#include "cases.hpp"

#include <algorithm>

namespace {

using namespace cases;

std::string folder;

std::string file(const std::string &name) { return folder + "/" + name; }

signdoc::VerifyOptions options_of(const cJSON *spec) {
    signdoc::VerifyOptions options;
    for (const char *key : {"original", "trust"}) {
        if (at(spec, key) != nullptr) {
            options.set(key, file(text_at(spec, key)));
        }
    }
    const cJSON *pair;
    cJSON_ArrayForEach(pair, at(spec, "options")) {
        options.set(pair->child->valuestring, pair->child->next->valuestring);
    }
    return options;
}

void check_findings(const cJSON *expect, const signdoc::Findings &findings) {
    CHECK_INT(findings.refused, cJSON_IsTrue(at(expect, "refused")));
    const cJSON *wanted;
    cJSON_ArrayForEach(wanted, at(expect, "findings")) {
        auto is_wanted = [&](const signdoc::Finding &one) {
            return one.code == wanted->valuestring;
        };
        CHECK(std::any_of(findings.all.begin(), findings.all.end(), is_wanted));
    }
    for (const signdoc::Finding &one : findings.all) {
        CHECK(!one.severity.empty() && !one.message.empty() && !one.remedy.empty());
    }
}

void check_signatures(const cJSON *expect, const std::vector<signdoc::Signature> &found) {
    const cJSON *one;
    std::size_t index = 0;
    if (at(expect, "signers") != nullptr) {
        CHECK_INT(found.size(), cJSON_GetArraySize(at(expect, "signers")));
    }
    cJSON_ArrayForEach(one, at(expect, "signers")) {
        CHECK_TEXT(found.at(index++).signer.c_str(), one->valuestring);
    }
    index = 0;
    cJSON_ArrayForEach(one, at(expect, "levels")) {
        CHECK_TEXT(found.at(index++).level.c_str(), one->valuestring);
    }
}

void check_report(const cJSON *expect, const signdoc::Report &report) {
    CHECK_INT(report.ok(), cJSON_IsTrue(at(expect, "ok")));
    const cJSON *check;
    cJSON_ArrayForEach(check, at(expect, "checks")) {
        CHECK_TEXT(report.status(check->string).c_str(), check->valuestring);
    }
    CHECK_INT(report.problem().code(), number_at(expect, "problem", 0));
    CHECK_INT(static_cast<bool>(report.problem()), at(expect, "problem") != nullptr);
    /* The typed getters say what the JSON view says. */
    Json told(cJSON_Parse(report.json().c_str()));
    CHECK_INT(report.ok(), cJSON_IsTrue(at(told.get(), "ok")));
    if (at(expect, "kind") != nullptr) {
        CHECK_TEXT(text_at(told.get(), "kind").c_str(), text_at(expect, "kind").c_str());
    }
    CHECK_HAS(report.html("a<b").c_str(), "<title>a&lt;b</title>");
    CHECK(report.html().find(report.ok() ? ">Verified<" : ">Not verified<") != std::string::npos);
    std::vector<signdoc::Check> checks = report.checks();
    std::size_t index = 0;
    CHECK_INT(checks.size(), cJSON_GetArraySize(at(told.get(), "checks")));
    cJSON_ArrayForEach(check, at(told.get(), "checks")) {
        const signdoc::Check &one = checks.at(index++);
        CHECK_TEXT(one.name.c_str(), text_at(check, "name").c_str());
        CHECK_TEXT(one.status.c_str(), text_at(check, "status").c_str());
        CHECK_TEXT(one.detail.c_str(), text_at(check, "detail").c_str());
    }
    check_signatures(expect, report.signatures());
}

void run(const cJSON *spec) {
    const cJSON *expect = at(spec, "expect");
    signdoc::Documents documents;
    const cJSON *name;
    cJSON_ArrayForEach(name, at(spec, "files")) { documents.add_path(file(name->valuestring)); }
    try {
        if (at(spec, "call") != nullptr) {
            check_findings(expect, signdoc::preflight(documents));
        } else {
            check_report(expect, signdoc::verify(documents, options_of(spec)));
        }
        check_success(expect);
    } catch (const signdoc::Error &error) {
        check_error(expect, error);
    }
}

} // namespace

int main(int argc, char **argv) {
    folder = argc > 2 ? argv[2] : ".";
    return run_all(argc, argv, "verification", run);
}
