package signdoc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

const (
	pdf       = "%PDF-1.4 not much"
	converted = "%PDF-1.4 ok"
)

// failure is what err says, which must have this number.
func failure(t *testing.T, err error, code Code) *Error {
	t.Helper()
	var told *Error
	if !errors.As(err, &told) {
		t.Fatalf("%v is no *Error", err)
	}
	if told.Code != code {
		t.Fatalf("%d (%v) instead of %d", told.Code, told, code)
	}
	return told
}

func TestDocumentsAreConverted(t *testing.T) {
	server := sandboxOf(t, "production")
	server.answers(3)
	client := server.client(nil)
	path := filepath.Join(t.TempDir(), "terms.pdf")
	if err := os.WriteFile(path, []byte(pdf), 0o600); err != nil {
		t.Fatal(err)
	}
	documents := func() []Document {
		return []Document{
			File(path),
			Bytes([]byte(pdf), "loan"),
			Reader(iotest.OneByteReader(strings.NewReader(pdf)), int64(len(pdf)), "read"),
		}
	}
	results, err := client.Convert(context.Background(), documents(), ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for index, one := range results {
		if one.Index != index || !one.Converted || one.Failed || string(one.Data) != converted {
			t.Errorf("%+v", one)
		}
		if len(one.Warnings) != 1 || one.Warnings[0].Code != int32(WarningFontSubst) {
			t.Errorf("%+v", one.Warnings)
		}
	}
	folder := filepath.Join(t.TempDir(), "out")
	results, err = client.ConvertMany(context.Background(), documents(), ConvertOptions{To: folder})
	if err != nil || len(results) != 3 {
		t.Fatal(results, err)
	}
	for index, name := range []string{"terms.pdf", "loan.pdf", "read.pdf"} {
		written, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(written) != converted || results[index].Path != filepath.Join(folder, name) {
			t.Errorf("%s %v %+v", written, err, results[index])
		}
	}
	specs, err := client.ConversionSpecs(context.Background(), CallOptions{})
	if err != nil || len(specs) != 1 || specs[0] != "PDFA_2B" {
		t.Error(specs, err)
	}
}

func TestErrorsHaveTheirFields(t *testing.T) {
	server := sandboxOf(t, "production")
	server.fault(map[string]any{"path": convertPath, "fault": map[string]any{
		"kind": "status", "status": 503, "body": "down", "headers": map[string]string{"Retry-After": "7"},
	}})
	client := server.client(Options{"max_retries": "0"})
	answer := Answer{}
	_, err := client.Convert(context.Background(), []Document{Bytes([]byte(pdf), "")},
		ConvertOptions{CallOptions: CallOptions{LastAnswer: &answer}})
	told := failure(t, err, CodeServiceUnavailable)
	if told.HTTPStatus != 503 || !told.Retryable || told.RetryAfter != 7*time.Second || told.Origin != "service" ||
		told.Advice == "" || told.Constant != "SIGNDOC_E_SERVICE_UNAVAILABLE" || told.Error() != told.Message {
		t.Errorf("%+v", told)
	}
	if answer.Status != 503 || answer.Body != "down" || answer.Headers["retry-after"] != "7" {
		t.Errorf("%+v", answer)
	}

	refusing := sandboxOf(t, "test").client(nil)
	_, err = refusing.Convert(context.Background(), []Document{Bytes([]byte(pdf), "")}, ConvertOptions{})
	told = failure(t, err, CodeConversionDisabled)
	if len(told.Results) != 1 || told.Results[0].Errors[0].Code != int32(CodeConversionDisabled) {
		t.Errorf("%+v", told.Results)
	}
	_, err = client.Convert(context.Background(), nil, ConvertOptions{})
	told = failure(t, err, CodeDocumentCount)
	if told.Details["actual"] != float64(0) || told.RetryAfter >= 0 {
		t.Errorf("%+v", told)
	}
	_, err = New(Options{"colour": "blue"})
	failure(t, err, CodeInvalidOption)
	_, err = New(Options{})
	failure(t, err, CodeMissingOption)
}

func TestAContextEndsACall(t *testing.T) {
	server := sandboxOf(t, "production")
	server.stall()
	client := server.client(nil)
	documents := []Document{Bytes([]byte(pdf), "")}
	for _, many := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		var once sync.Once
		options := ConvertOptions{To: t.TempDir(), CallOptions: CallOptions{Progress: func(now Progress) {
			if now.Sent > 0 {
				once.Do(func() { go cancel() })
			}
		}}}
		convert := client.Convert
		if many {
			convert = client.ConvertMany
		}
		_, err := convert(ctx, documents, options)
		failure(t, err, CodeCancelled)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		// A context that is done lets no call begin.
		_, err = convert(ctx, documents, ConvertOptions{})
		failure(t, err, CodeCancelled)
		left, _ := os.ReadDir(options.To)
		if len(left) > 0 {
			t.Error(left)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := client.Convert(ctx, documents, ConvertOptions{})
	failure(t, err, CodeCancelled)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	_, err = client.Convert(context.Background(), documents,
		ConvertOptions{CallOptions: CallOptions{Timeout: 100 * time.Millisecond}})
	failure(t, err, CodeTotalTimeout)
}

func TestACallHasItsOwnLimits(t *testing.T) {
	limit := func(err error, code Code) time.Duration {
		t.Helper()
		seconds, _ := failure(t, err, code).Details["limit"].(float64)
		return time.Duration(seconds * float64(time.Second))
	}
	server := sandboxOf(t, "production")
	server.stall()
	client := server.client(Options{"max_retries": "0", "read_timeout": "0.6"})
	documents := []Document{Bytes([]byte(pdf), "")}
	options := ConvertOptions{CallOptions: CallOptions{ReadTimeout: 400 * time.Millisecond}}
	_, err := client.Convert(context.Background(), documents, options)
	if found := limit(err, CodeReadTimeout); found != 400*time.Millisecond {
		t.Errorf("the call's own limit on silence, not %v", found)
	}
	_, err = client.Convert(context.Background(), documents, ConvertOptions{})
	if found := limit(err, CodeReadTimeout); found != 600*time.Millisecond {
		t.Errorf("the client's limit on silence, not %v", found)
	}
	// Its backlog takes the connection, and then nobody speaks TLS.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	client = server.client(Options{"issuer": "https://" + silent.Addr().String() + "/realm",
		"max_retries": "0", "connect_timeout": "0.5"})
	_, err = client.ConversionSpecs(context.Background(), CallOptions{ConnectTimeout: 300 * time.Millisecond})
	if found := limit(err, CodeConnectTimeout); found != 300*time.Millisecond {
		t.Errorf("the call's own limit on connecting, not %v", found)
	}
	_, err = client.ConversionSpecs(context.Background(), CallOptions{})
	if found := limit(err, CodeConnectTimeout); found != 500*time.Millisecond {
		t.Errorf("the client's limit on connecting, not %v", found)
	}
}

func TestFunctionsAreAskedAndTold(t *testing.T) {
	server := sandboxOf(t, "production")
	server.answers(2)
	client := server.client(nil)
	var out bytes.Buffer
	complete, events, steps := 0, []LogEvent{}, 0
	options := ConvertOptions{
		Write: func(index int, part []byte) error {
			if len(part) == 0 {
				complete++
			}
			out.Write(part)
			return nil
		},
		CallOptions: CallOptions{
			Log:      func(event LogEvent) { events = append(events, event) },
			Progress: func(Progress) { steps++ },
		},
	}
	documents := []Document{Bytes([]byte(pdf), ""), Bytes([]byte(pdf), "")}
	results, err := client.Convert(context.Background(), documents, options)
	if err != nil || results[1].Size != uint64(len(converted)) || results[1].Data != nil {
		t.Fatal(results, err)
	}
	if complete != 2 || out.String() != converted+converted || steps == 0 || len(events) == 0 {
		t.Error(complete, out.String(), steps, events)
	}
	for _, event := range events {
		if event.CorrelationID != events[0].CorrelationID || event.Level < LogDebug || event.Message == "" {
			t.Errorf("%+v", event)
		}
	}

	full := errors.New("the disk is full")
	_, err = client.Convert(context.Background(), documents,
		ConvertOptions{Write: func(int, []byte) error { return full }})
	failure(t, err, CodeCallbackFailed)
	if !errors.Is(err, full) {
		t.Error(err)
	}
	broken := Reader(io.MultiReader(strings.NewReader(pdf), iotest.ErrReader(full)), -1, "")
	_, err = client.Convert(context.Background(), []Document{broken}, ConvertOptions{})
	failure(t, err, CodeCallbackFailed)
	if !errors.Is(err, full) {
		t.Error(err)
	}
	server = sandboxOf(t, "production")
	server.answers(1)
	come := []int{}
	one := []Document{Bytes([]byte(pdf), "")}
	results, err = client.ConvertMany(context.Background(), one, ConvertOptions{Result: func(result Conversion) error {
		if string(result.Data) != converted {
			t.Error(result)
		}
		come = append(come, result.Index)
		return nil
	}})
	if err != nil || len(come) != 1 || results[0].Data != nil {
		t.Error(come, results, err)
	}
	_, err = client.ConvertMany(context.Background(), one, ConvertOptions{Result: func(Conversion) error { return full }})
	failure(t, err, CodeCallbackFailed)
	if !errors.Is(err, full) {
		t.Error(err)
	}
	defer func() {
		if reason := recover(); reason != "bored" {
			t.Error(reason)
		}
	}()
	_, _ = client.Convert(context.Background(), one,
		ConvertOptions{Write: func(int, []byte) error { panic("bored") }})
	t.Error("no panic came through")
}

func TestAClientIsSharedAndClosed(t *testing.T) {
	server := sandboxOf(t, "production")
	server.answers(1)
	client := server.client(nil)
	var group sync.WaitGroup
	for i := 0; i < 16; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			document := Reader(strings.NewReader(pdf), -1, "")
			results, err := client.Convert(context.Background(), []Document{document}, ConvertOptions{})
			if err != nil || string(results[0].Data) != converted {
				t.Error(results, err)
			}
		}()
	}
	group.Wait()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	_, err := client.ConversionSpecs(context.Background(), CallOptions{})
	failure(t, err, CodeClientClosed)
	_, err = client.Convert(context.Background(), nil, ConvertOptions{})
	failure(t, err, CodeClientClosed)
	failure(t, client.SetClockOffset(time.Second), CodeClientClosed)
	if client.Close() != nil {
		t.Error("a closed client is closed again without an error")
	}
}

func TestWordsAreExplained(t *testing.T) {
	told, err := Explain("708")
	if err != nil || !strings.Contains(told, "SIGNDOC_E_CSC_TOKEN_ALREADY_USED") || CodeCscTokenAlreadyUsed != 708 {
		t.Error(told, err)
	}
	_, err = Explain("nonsense")
	failure(t, err, CodeInvalidArgument)
	if Version() == "" {
		t.Error("no version")
	}
}
