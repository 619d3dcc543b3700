package signdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

const convertPath = "/signdoc/convert"

// sandbox is one that the driver (tests/c/run.py) has started.
type sandbox struct {
	t        *testing.T
	settings map[string]string
}

// sandboxOf is the sandbox of an environment, set back to its beginning.
func sandboxOf(t *testing.T, environment string) *sandbox {
	t.Helper()
	settings := map[string]string{}
	for _, key := range []string{"ISSUER", "CLIENT_ID", "CLIENT_SECRET", "CONTROL", "CSC_URL", "BASE_URL", "ORDERS_URL"} {
		value := os.Getenv("SANDBOX_" + strings.ToUpper(environment) + "_" + key)
		if value == "" {
			t.Skip("left out: there is no sandbox here; tests/c/run.py starts one and runs these tests")
		}
		settings[strings.ToLower(key)] = value
	}
	found := &sandbox{t: t, settings: settings}
	found.control("POST", "/_sandbox/reset", nil)
	return found
}

func (s *sandbox) control(method, path string, body any) []byte {
	s.t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	if body == nil {
		sent = nil
	}
	address := s.settings["control"] + strings.TrimPrefix(path, "/_sandbox/")
	request, err := http.NewRequest(method, address, bytes.NewReader(sent))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	told, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode/100 != 2 {
		s.t.Fatalf("the sandbox refuses %s %s: %d %s %v", method, path, answer.StatusCode, told, err)
	}
	return told
}

func (s *sandbox) fault(rule any) { s.control("POST", "/_sandbox/faults", rule) }

func (s *sandbox) stall() {
	s.fault(map[string]any{"path": convertPath, "times": nil, "fault": map[string]any{"kind": "stall"}})
}

// answers has so many documents converted.
func (s *sandbox) answers(documents int) {
	item := map[string]any{
		"conversionResult":  map[string]any{"converted": true, "conversionWarnings": []string{"Font substituted"}},
		"convertedDocument": "JVBERi0xLjQgb2s=",
	}
	items := []any{}
	for i := 0; i < documents; i++ {
		items = append(items, item)
	}
	s.fault(map[string]any{
		"path": convertPath, "times": nil,
		"fault": map[string]any{"kind": "status", "status": 200, "json": items},
	})
}

// requests counts what the sandbox saw, by method and path.
func (s *sandbox) requests() map[string]int {
	var seen struct {
		Requests []struct{ Method, Path string }
	}
	told := s.control("GET", "/_sandbox/requests", nil)
	if err := json.Unmarshal(told, &seen); err != nil {
		s.t.Fatal(err)
	}
	counts := map[string]int{}
	for _, one := range seen.Requests {
		counts[fmt.Sprintf("%s %s", one.Method, one.Path)]++
	}
	return counts
}

func (s *sandbox) options(more Options) Options {
	options := Options{}
	for _, key := range []string{"issuer", "client_id", "client_secret"} {
		options[key] = s.settings[key]
	}
	for key, value := range more {
		options[key] = s.withAddresses(value)
	}
	return options
}

func (s *sandbox) client(more Options) *Client {
	s.t.Helper()
	client, err := New(s.options(more))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { client.Close() })
	return client
}

// setting is what all cases of vectors begin with; the README beside them explains the keys.
type setting struct {
	ID, Like, Environment, Needs string
	Options                      Options
	Variants                     any
	Faults                       []any
}

// eachCase runs the cases of a set, each with its sandbox: those of the set's own file, and of
// open.json those that are like it.
func eachCase[C any](t *testing.T, set string, run func(*testing.T, *sandbox, C)) {
	for _, file := range []string{set, "open"} {
		for _, text := range casesOf[json.RawMessage](t, file) {
			var begun setting
			decoded(t, text, &begun)
			if begun.Like != "" && begun.Like != set {
				continue
			}
			var one C
			decoded(t, text, &one)
			t.Run(begun.ID, func(t *testing.T) {
				server := begun.sandbox(t)
				fmt.Printf("vector %s/%s\n", file, begun.ID)
				needsConverter(t, begun.Needs)
				run(t, server, one)
			})
		}
	}
}

func decoded(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

// sandbox is the one of a case, set up as the case wants it.
func (s setting) sandbox(t *testing.T) *sandbox {
	if s.Environment == "" {
		s.Environment = "production"
	}
	server := sandboxOf(t, s.Environment)
	if s.Variants != nil {
		server.control("POST", "/_sandbox/variants", s.Variants)
	}
	for _, rule := range s.Faults {
		text, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		server.fault(json.RawMessage(server.withAddresses(string(text))))
	}
	return server
}

// withAddresses puts the sandbox's addresses for the words that stand for them.
func (s *sandbox) withAddresses(text string) string {
	issuer, err := url.Parse(s.settings["issuer"])
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.NewReplacer("$ISSUER", s.settings["issuer"], "$REALM", issuer.Path,
		"$BASE_URL", s.settings["base_url"], "$ORDERS_URL", s.settings["orders_url"]).Replace(text)
}

// cameBack is what came back from a login, as the case has it: each parameter may come twice.
func cameBack(callback, how string) string {
	if _, query, found := strings.Cut(callback, "?"); found && how == "twice" {
		return callback + "&" + query
	}
	return callback
}

// casesOf reads the cases of a file of vectors.
func casesOf[C any](t *testing.T, name string) []C {
	t.Helper()
	text, err := os.ReadFile("../tests/vectors/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []C }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// needsConverter leaves a case out where the sandbox does not convert.
func needsConverter(t *testing.T, needs string) {
	t.Helper()
	if needs == "converter" && os.Getenv("SANDBOX_CONVERTER") == "" {
		t.Skip("left out: the sandbox has no converter")
	}
}

// sent is the body of the last request to a path.
func (s *sandbox) sent(path string) map[string]any {
	var seen struct {
		Requests []struct {
			Method, Path string
			Body         any
		}
	}
	decoded(s.t, s.control("GET", "/_sandbox/requests", nil), &seen)
	var last map[string]any
	for _, one := range seen.Requests {
		if one.Method == "POST" && one.Path == path {
			last, _ = one.Body.(map[string]any)
		}
	}
	return last
}
