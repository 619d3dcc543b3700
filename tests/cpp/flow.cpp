/* What C++ programs do: convert, handle errors, cancel, and let exceptions through. */
#include <signdoc.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <type_traits>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" {
#include "../c/harness.h"
}

namespace {

const char *const PDF = "%PDF-1.4 not much";
const char *const CONVERTED = "%PDF-1.4 ok";
sandbox server;

/* No handle is copied by accident. */
static_assert(!std::is_copy_constructible<signdoc::Client>::value, "");
static_assert(!std::is_copy_constructible<signdoc::Documents>::value, "");
static_assert(!std::is_copy_constructible<signdoc::Results>::value, "");
static_assert(std::is_nothrow_move_constructible<signdoc::Client>::value, "");
static_assert(std::is_nothrow_move_constructible<signdoc::Results>::value, "");
static_assert(std::is_copy_constructible<signdoc::Error>::value, "exceptions are copied");

/* The service answers with so many converted documents. */
void answer(int documents) {
    std::string items;
    for (int i = 0; i < documents; i++) {
        items += i == 0 ? "" : ",";
        items += "{\"conversionResult\":{\"converted\":true,\"conversionId\":\"c-1\","
                 "\"conversionWarnings\":[\"Font substituted\",\"Something new\"]},"
                 "\"convertedDocument\":\"JVBERi0xLjQgb2s=\"}";
    }
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&server, ("{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":"
                            "\"status\",\"status\":200,\"json\":[" + items + "]}}").c_str());
}

signdoc::Options options() {
    signdoc::Options options;
    options.set("issuer", server.issuer)
        .set("client_id", server.client_id)
        .set("client_secret", server.client_secret);
    return options;
}

signdoc::Documents one_document() {
    signdoc::Documents documents;
    documents.add_bytes(PDF, std::strlen(PDF), "loan");
    return documents;
}

/* The failure that `work` throws. */
template <typename Work> signdoc::Error failure_of(Work work) {
    try {
        work();
    } catch (const signdoc::Error &error) {
        return error;
    }
    CHECK(!"nothing was thrown");
    return signdoc::Error(nullptr);
}

void documents_are_converted() {
    test("documents are converted in memory and into a folder");
    answer(2);
    signdoc::Client client(options());
    CHECK_TEXT(client.conversion_specs().at(0).c_str(), "PDFA_2B");
    signdoc::Documents documents = one_document();
    std::size_t at = 0;
    auto read = [&at](void *buffer, std::size_t room) -> std::size_t {
        std::size_t count = std::min(room, std::strlen(PDF) - at);
        std::memcpy(buffer, PDF + at, count);
        at += count;
        return count;
    };
    documents.add_reader(read, static_cast<std::int64_t>(std::strlen(PDF)));
    CHECK_INT(documents.size(), 2);
    signdoc::Results results = client.convert(documents);
    CHECK_INT(results.size(), 2);
    std::size_t seen = 0;
    for (signdoc::Result result : results) {
        CHECK_INT(result.index(), seen++);
        CHECK(result.converted() && !result.failed() && !result.failure());
        CHECK_TEXT(result.data().str().c_str(), CONVERTED);
        CHECK_TEXT(result.conversion_id().c_str(), "c-1");
        CHECK_TEXT(result.path().c_str(), "");
        CHECK_INT(result.warnings().at(0).code, SIGNDOC_WARNING_FONT_SUBST);
        CHECK_TEXT(result.warnings().at(1).name.c_str(), "Something new");
        CHECK(result.errors().empty());
    }
    CHECK_INT(seen, 2);
    CHECK_HAS(results.json().c_str(), "FONT_SUBST");

    answer(1);
    char *made = new_folder();
    std::string folder = made;
    std::free(made);
    signdoc::Results moved = client.convert(one_document(), folder);
    results = std::move(moved);
    CHECK_TEXT(results[0].path().c_str(), (folder + "/loan.pdf").c_str());
    std::ostringstream written;
    written << std::ifstream(results[0].path()).rdbuf();
    CHECK_TEXT(written.str().c_str(), CONVERTED);
}

void errors_are_thrown() {
    test("errors are thrown with all their fields");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&server, "{\"path\":\"" PATH_CONVERT "\",\"fault\":{\"kind\":\"status\","
                           "\"status\":503,\"headers\":{\"Retry-After\":\"7\"}}}");
    signdoc::Client client(options().set("max_retries", "0"));
    signdoc::Call call;
    signdoc::Error error = failure_of([&]() { client.convert(one_document(), "", {}, call); });
    CHECK_INT(error.code(), SIGNDOC_E_SERVICE_UNAVAILABLE);
    CHECK_TEXT(error.constant().c_str(), "SIGNDOC_E_SERVICE_UNAVAILABLE");
    CHECK_TEXT(error.what(), error.message().c_str());
    CHECK_TEXT(error.origin().c_str(), "service");
    CHECK_INT(error.http_status(), 503);
    CHECK_INT(error.retry_after().count(), 7000);
    CHECK(error.retryable() && !error.advice().empty() && !error.category().empty());
    CHECK_TEXT(error.reference().c_str(), "");
    CHECK_HAS(error.json().c_str(), error.name().c_str());
    CHECK_INT(call.last_answer().status, 503);
    CHECK(!call.last_answer().headers.empty());

    test("a refused document is thrown with the results of all");
    signdoc::Client refused(signdoc::Options()
                                .set("issuer", sandbox_of("test").issuer)
                                .set("client_id", sandbox_of("test").client_id)
                                .set("client_secret", sandbox_of("test").client_secret));
    error = failure_of([&]() { refused.convert(one_document()); });
    CHECK_INT(error.code(), SIGNDOC_E_CONVERSION_DISABLED);
    CHECK_INT(error.results().size(), 1);
    CHECK_INT(error.results()[0].errors().at(0).code, SIGNDOC_E_CONVERSION_DISABLED);
    signdoc::ConvertOptions lenient;
    lenient.strict(false);
    CHECK(refused.convert(one_document(), "", lenient)[0].failed());
    signdoc::Results many = refused.convert_many(one_document());
    CHECK(many[0].failed());

    test("errors of options are thrown");
    error = failure_of([]() { signdoc::Client nobody{signdoc::Options()}; });
    CHECK_INT(error.code(), SIGNDOC_E_MISSING_OPTION);
    error = failure_of([]() { signdoc::Options().set("colour", "blue"); });
    CHECK_INT(error.code(), SIGNDOC_E_INVALID_OPTION);
    CHECK_HAS(signdoc::explain("708").c_str(), "SIGNDOC_E_CSC_TOKEN_ALREADY_USED");
    client.close();
    error = failure_of([&]() { client.conversion_specs(); });
    CHECK_INT(error.code(), SIGNDOC_E_CLIENT_CLOSED);
}

void calls_are_cancelled() {
    test("a call is cancelled from another thread, and ends at its time limit");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&server,
                  "{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
    signdoc::Client client(options());
    signdoc::Call call;
    std::thread other([&call]() {
        while (call.progress().sent == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        call.cancel();
    });
    signdoc::Error error = failure_of([&]() { client.convert(one_document(), "", {}, call); });
    other.join();
    CHECK_INT(error.code(), SIGNDOC_E_CANCELLED);
    signdoc::CallSettings limit{std::chrono::milliseconds(200)};
    error = failure_of([&]() { client.convert(one_document(), "", {}, limit); });
    CHECK_INT(error.code(), SIGNDOC_E_TOTAL_TIMEOUT);
}

void calls_have_their_own_limits() {
    test("a call has its own limits on connecting and on silence");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&server,
                  "{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
    signdoc::Client client(options().set("max_retries", "0").set("read_timeout", "0.6"));
    signdoc::Call call;
    call.timeouts(std::chrono::milliseconds(300), std::chrono::milliseconds(400));
    signdoc::Error error = failure_of([&]() { client.convert(one_document(), "", {}, call); });
    CHECK_INT(error.code(), SIGNDOC_E_READ_TIMEOUT);
    CHECK_HAS(error.json().c_str(), "\"limit\":0.4,");
    error = failure_of([&]() { client.convert(one_document()); });
    CHECK_INT(error.code(), SIGNDOC_E_READ_TIMEOUT);
    CHECK_HAS(error.json().c_str(), "\"limit\":0.6,");

    /* Its backlog takes the connection, and then nobody speaks TLS. */
    struct sockaddr_in address = {};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr *found = reinterpret_cast<struct sockaddr *>(&address);
    CHECK(::bind(listener, found, size) == 0 && ::listen(listener, 16) == 0);
    CHECK(::getsockname(listener, found, &size) == 0);
    std::string place = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/realm";
    signdoc::Client far(options()
                            .set("issuer", place)
                            .set("max_retries", "0")
                            .set("connect_timeout", "0.5"));
    error = failure_of([&]() { far.conversion_specs(call); });
    CHECK_INT(error.code(), SIGNDOC_E_CONNECT_TIMEOUT);
    CHECK_HAS(error.json().c_str(), "\"limit\":0.3,");
    call.timeouts(std::chrono::milliseconds(0), std::chrono::milliseconds(-1));
    error = failure_of([&]() { far.conversion_specs(call); });
    CHECK_HAS(error.json().c_str(), "\"limit\":0.5,");
    ::close(listener);
}

/* What `work` throws is the text. */
template <typename Work> void check_thrown(Work work, const char *wanted) {
    try {
        work();
        CHECK(!"nothing was thrown");
    } catch (const std::logic_error &error) {
        CHECK_TEXT(error.what(), wanted);
    }
}

void exceptions_come_through() {
    test("functions are told and asked, and what they throw comes out of the call");
    answer(1);
    signdoc::Client client(options());
    signdoc::Call call;
    int told = 0;
    int events = 0;
    std::string taken;
    signdoc::ConvertOptions writing;
    call.on_progress([&](const signdoc::Progress &progress) {
        told += progress.sent <= progress.to_send ? 1 : 0;
    });
    call.on_log(SIGNDOC_LOG_DEBUG, [&](std::int32_t, const std::string &id, const std::string &) {
        events += id.empty() ? 0 : 1;
    });
    writing.writer([&](std::size_t, const void *bytes, std::size_t size) {
        taken.append(static_cast<const char *>(bytes), size);
    });
    signdoc::Documents documents = one_document();
    client.convert(documents, "", writing, call);
    CHECK(told > 0 && events > 0);
    CHECK_TEXT(taken.c_str(), CONVERTED);
    CHECK(!call.correlation_id().empty());

    signdoc::ConvertOptions telling;
    std::string came;
    telling.on_result([&](std::size_t index, const signdoc::Result &result) {
        came += std::to_string(index) + result.data().str();
    });
    client.convert_many(documents, "", telling);
    CHECK_TEXT(came.c_str(), (std::string("0") + CONVERTED).c_str());
    telling.on_result([](std::size_t, const signdoc::Result &) { throw std::logic_error("no"); });
    check_thrown([&]() { client.convert_many(documents, "", telling); }, "no");

    writing.writer([](std::size_t, const void *, std::size_t) { throw std::logic_error("disk"); });
    check_thrown([&]() { client.convert(documents, "", writing); }, "disk");
    check_thrown([&]() { client.convert_many(documents, "", writing); }, "disk");
    call.on_progress([](const signdoc::Progress &) { throw std::logic_error("bored"); });
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&server,
                  "{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
    check_thrown([&]() { client.convert(documents, "", {}, call); }, "bored");
    documents.add_reader([](void *, std::size_t) -> std::size_t { throw std::logic_error("gone"); });
    check_thrown([&]() { client.convert(documents); }, "gone");
}

void orders_are_signed() {
    test("an order is created, signed and downloaded");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    signdoc::Client client(options());
    signdoc::Orders orders(client);
    signdoc::Documents documents;
    documents.add_text("I agree.").set(0, "description", "Consent");
    signdoc::OrderRequest request("Loan 4711");
    request.set("results", "sdo,basicSignature").set("show_confirmation", "true");
    signdoc::Order order = orders.create(SIGNDOC_ORDER_SDO, request, documents);
    CHECK(order.expires_in().count() > 0 && order.kind() == SIGNDOC_ORDER_SDO);
    CHECK(order.conversions().empty());
    CHECK(!orders.state(order).is_final);
    signdoc::Error error = failure_of([&]() { orders.download(order, ""); });
    CHECK_INT(error.code(), SIGNDOC_E_ORDER_NOT_READY);
    CHECK_INT(error.download().size(), 0);

    signdoc::Logins logins(client);
    signdoc::Login login = logins.begin(order, "https://shop.example/callback");
    char *callback = sandbox_visit(&server, login.url.c_str(), "sign");
    signdoc::Identity identity = logins.finish(login.token, callback);
    std::free(callback);
    CHECK_TEXT(identity.sign_id.c_str(), order.sign_id().c_str());
    CHECK_HAS(identity.claims_json.c_str(), identity.subject.c_str());
    signdoc::Call call;
    std::string seen;
    call.on_state([&](const std::string &state) { seen += state; });
    signdoc::State state = orders.wait(signdoc::Order::from_json(client, order.json()), "", call);
    CHECK_TEXT(state.text.c_str(), "SIGN_COMPLETED");
    CHECK_TEXT(seen.c_str(), "SIGN_COMPLETED");
    CHECK(state.is_final);
    signdoc::Order known = signdoc::Order::of(SIGNDOC_ORDER_SDO, identity.sign_id);
    signdoc::Download download = orders.download(known, "");
    CHECK_INT(download.size(), 1);
    CHECK_TEXT(download.order_name().c_str(), "Loan 4711");
    CHECK(download.data(0).size > 100);
    CHECK(download.data(0, SIGNDOC_PART_END_USER_SIGNATURE).size > 100);
    CHECK_TEXT(download.path(0).c_str(), "");
    error = failure_of([&]() { orders.discard(known); });
    CHECK_INT(error.code(), SIGNDOC_E_ORDER_NOT_FOUND);
}

void receptions_go_on() {
    test("a download that is cancelled is received all the same");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    signdoc::Client client(options());
    signdoc::Orders orders(client);
    signdoc::Documents documents;
    char *loan = sample("loan-agreement.pdf");
    documents.add_path(loan);
    std::free(loan);
    signdoc::Order order =
        orders.create(SIGNDOC_ORDER_PADES, signdoc::OrderRequest("Loan 4711"), documents);
    std::string path = "/_sandbox/orders/" + order.sign_id() + "/sign";
    std::free(sandbox_control(&server, "POST", path.c_str(), ""));
    sandbox_fault(&server, "{\"method\":\"DELETE\",\"fault\":{\"kind\":\"slow\","
                           "\"step_bytes\":1024,\"pause_ms\":100}}");
    char *folder = new_folder();
    signdoc::Call call;
    call.on_progress([&](const signdoc::Progress &progress) {
        if (progress.received > 0) {
            call.cancel();
        }
    });
    signdoc::Error error = failure_of([&]() { orders.download(order, folder, call); });
    CHECK_INT(error.code(), SIGNDOC_E_RECEPTION_CONTINUES);
    CHECK(!error.order() && error.raw_answer().size == 0);
    CHECK_INT(signdoc::downloads_receiving(), 1);
    CHECK_INT(signdoc::finish_downloads(), 0);
    char *file = path_in(folder, "loan-agreement.pdf");
    CHECK(file_exists(file));
    std::free(file);
    std::free(folder);
}

void files_are_extended(const std::string &folder) {
    signdoc::Documents documents;
    documents.add_path(folder + "stamped.pdf");
    signdoc::Options network;
    signdoc::ExtendOptions options;
    options.set("trust", folder + "roots.pem").set("at", "1795179600").set("fetch", "false");
    signdoc::Error error = failure_of([&]() { signdoc::extend(documents, network, options); });
    CHECK_INT(error.code(), SIGNDOC_E_MISSING_OPTION);
    signdoc::Extended extended = signdoc::extend(documents, network, options.set("level", "B-LT"));
    CHECK(extended.reached() && extended.path().empty() && extended.data().size > 0);
    CHECK_TEXT(extended.level().c_str(), "B-LT");
    CHECK_HAS(extended.json().c_str(), "\"signatures\":[{");
}

void files_are_verified() {
    test("signed files are verified, and documents looked over");
    const char *found = std::getenv("VERIFICATION");
    CHECK(found != nullptr);
    std::string folder = found == nullptr ? "" : std::string(found) + "/";
    signdoc::Documents documents;
    documents.add_path(folder + "signed.pdf");
    signdoc::VerifyOptions options;
    options.set("original", folder + "loan.pdf").set("at", "1795179600");
    signdoc::Report nobody = signdoc::verify(documents, options);
    CHECK(!nobody.ok() && nobody.problem());
    CHECK_TEXT(nobody.status("chain").c_str(), "not_checked");
    options.set("trust", folder + "roots.pem");
    signdoc::Report report = signdoc::verify(documents, options);
    CHECK(report.ok() && !report.problem() && !report.checks().empty());
    CHECK_TEXT(report.signatures().at(0).signer.c_str(), "Nordmann, Kari");
    CHECK_HAS(report.json().c_str(), "\"ok\":true");
    signdoc::Error error = failure_of([&]() { options.set("colour", "blue"); });
    CHECK_INT(error.code(), SIGNDOC_E_INVALID_OPTION);
    files_are_extended(folder);
    signdoc::Documents loan;
    loan.add_path(folder + "loan.pdf");
    CHECK(!signdoc::preflight(loan).refused);
    CHECK(!signdoc::preflight(loan).all.empty());
    signdoc::BundleOptions evidence;
    evidence.set("signed", folder + "signed.pdf").set("original", folder + "loan.pdf");
    evidence.set("trust", folder + "roots.pem").set("at", "1795179600");
    char *output = new_folder();
    char *to = path_in(output, "loan.asice");
    CHECK(signdoc::bundle(evidence, to).ok());
    signdoc::Documents made;
    made.add_path(to);
    CHECK_TEXT(signdoc::verify(made, options).status("contents").c_str(), "passed");
    std::free(to);
    std::free(output);
}

signdoc::CscSession session_for(const signdoc::Csc &csc, const char *action) {
    signdoc::Login login = csc.begin("https://shop.example/callback");
    CHECK_HAS(login.url.c_str(), "/oauth2/authorize?");
    CHECK_TEXT(login.sign_id.c_str(), "");
    char *visited = sandbox_visit(&server, login.url.c_str(), action);
    std::string callback = visited;
    std::free(visited);
    return csc.finish(login.token, callback);
}

void sessions_sign() {
    test("sessions of the credential-based interface sign hashes and PDFs, once");
    std::free(sandbox_control(&server, "POST", "/_sandbox/reset", ""));
    signdoc::Client client(options().set("csc_url", server.csc_url).set("max_retries", "0"));
    signdoc::Csc csc(client);
    CHECK_HAS(csc.info().c_str(), "credentials/list");
    signdoc::CscSession session = session_for(csc, "sign");
    CHECK_HAS(csc.credentials(session).c_str(), "\"credentialID\"");
    signdoc::Error error = failure_of([&]() { csc.credential_info(session, "another"); });
    CHECK_INT(error.code(), SIGNDOC_E_CSC_INVALID_CREDENTIAL_ID);
    error = failure_of([&]() { csc.sign_hashes(session, std::string(51 * 32, 'h')); });
    CHECK_INT(error.code(), SIGNDOC_E_CSC_INVALID_PARAMETERS);
    signdoc::CscRequest request;
    request.set("hash_algorithm", "sha384").set("description", "Loan 4711");
    signdoc::CscSigned made = csc.sign_hashes(session, std::string(3 * 48, 'h'), 48, request);
    CHECK_INT(made.size(), 3);
    CHECK(made.data(2).size >= 64 && made.data(3).size == 0);
    CHECK(made.path(0).empty() && made.level(0).empty());
    error = failure_of([&]() { csc.sign_hashes(session, std::string(32, 'h')); });
    CHECK_INT(error.code(), SIGNDOC_E_CSC_TOKEN_ALREADY_USED);
    CHECK_INT(sandbox_seen(&server, "/csc/v2/signatures/signHash"), 1);
    try {
        csc.sign_hashes(session, std::string(33, 'h'));
        CHECK(!"nothing was thrown");
    } catch (const std::invalid_argument &) {
        CHECK(1);
    }

    std::size_t size = 0;
    char *path = sample("loan-agreement.pdf");
    char *read = read_file(path, &size);
    std::string loan(read, size);
    std::free(path);
    std::free(read);
    char *new_one = new_folder();
    std::string folder = new_one;
    std::free(new_one);
    signdoc::Documents documents;
    documents.add_bytes(loan.data(), loan.size(), "loan");
    signdoc::CscRequest sealed;
    sealed.set("reason", "Loan").seal(72, 700, 1);
    csc.check_pdfs(documents, folder, sealed);
    signdoc::CscSession other = session_for(csc, "sign");
    signdoc::CscSigned files = csc.sign_pdfs(other, documents, folder, sealed);
    CHECK_INT(files.size(), 1);
    CHECK_HAS(files.path(0).c_str(), "/loan.pdf");
    CHECK_HAS(files.level(0).c_str(), "B-");
    CHECK_HAS(files.json().c_str(), "\"field_name\"");
    std::ostringstream written;
    written << std::ifstream(files.path(0), std::ios::binary).rdbuf();
    CHECK(written.str().size() > size && written.str().compare(0, size, loan) == 0);
    error = failure_of([&]() { csc.check_pdfs(documents, folder, sealed); });
    CHECK_INT(error.code(), SIGNDOC_E_DESTINATION_EXISTS);
    signdoc::CscSession third = session_for(csc, "sign");
    CHECK(csc.sign_pdfs(third, documents).data(0).size > size);

    error = failure_of([&]() { session_for(csc, "cancel"); });
    CHECK_INT(error.code(), SIGNDOC_E_AUTHORIZE_ACCESS_DENIED);
    check_thrown(
        [&]() {
            signdoc::Documents thrown;
            thrown.add_reader([](void *, std::size_t) -> std::size_t {
                throw std::logic_error("reading");
            });
            csc.check_pdfs(thrown);
        },
        "reading");
}

} // namespace

int main() {
    server = sandbox_of("production");
    CHECK_TEXT(signdoc::version().c_str(), SIGNDOC_VERSION);
    documents_are_converted();
    errors_are_thrown();
    calls_are_cancelled();
    calls_have_their_own_limits();
    exceptions_come_through();
    orders_are_signed();
    receptions_go_on();
    files_are_verified();
    sessions_sign();
    return tests_end();
}
