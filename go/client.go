package signdoc

// #include <stdlib.h>
// #include <signdoc.h>
import "C"

import (
	"context"
	"sync"
	"time"
	"unsafe"
)

// Client is a client of the service, for any number of goroutines.
type Client struct {
	// Calls hold it for reading, Close for writing.
	lock   sync.RWMutex
	handle *C.signdoc_client
}

// Options are the options of a client by their keys, the same as everywhere: "issuer",
// "client_id", "client_secret", "timeout" and so on.
type Options map[string]string

// New gives a client with these options. Nothing is sent yet.
//
// Errors: CodeMissingOption, CodeInvalidOption or CodeInsecureUrl, naming the option.
func New(options Options) (*Client, error) { return build(options, false) }

// FromEnv gives a client with these options, and the rest from SIGNDOC_ISSUER and so on.
func FromEnv(options ...Options) (*Client, error) {
	all := Options{}
	for _, some := range options {
		for key, value := range some {
			all[key] = value
		}
	}
	return build(all, true)
}

func build(options Options, environment bool) (*Client, error) {
	made := C.signdoc_options_new()
	defer C.signdoc_options_free(made)
	for key, value := range options {
		if err := set(made, key, value); err != nil {
			return nil, err
		}
	}
	var failure *C.signdoc_error
	if environment {
		code := C.signdoc_options_from_env(made, &failure)
		if err := taken(code, failure); err != nil {
			return nil, err
		}
	}
	client := &Client{}
	code := C.signdoc_client_new(made, &client.handle, &failure)
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	return client, nil
}

func set(options *C.signdoc_options, key, value string) error {
	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	var failure *C.signdoc_error
	code := C.signdoc_options_set(options, k, v, &failure)
	return taken(code, failure)
}

// Close waits for the calls under way and frees the client; later calls fail with
// CodeClientClosed. It may be called more than once.
func (c *Client) Close() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	C.signdoc_client_free(c.handle)
	c.handle = nil
	return nil
}

// SetClockOffset moves the client's clock away from the system's: for tests, and for hosts whose
// clock is wrong.
func (c *Client) SetClockOffset(offset time.Duration) error {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return closed()
	}
	var failure *C.signdoc_error
	ms := C.int64_t(offset / time.Millisecond)
	code := C.signdoc_client_set_clock_offset(c.handle, ms, &failure)
	return taken(code, failure)
}

// ConversionSpecs gives the conversions that the service supports; "PDFA_2B" is the one that its
// specification knows.
func (c *Client) ConversionSpecs(ctx context.Context, options CallOptions) ([]string, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	var found *C.signdoc_strings
	err := call(ctx, options, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_conversion_specs(c.handle, options.timeoutMS(), view, &found, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_strings_free(found)
	specs := []string{}
	for i := C.size_t(0); i < C.signdoc_strings_count(found); i++ {
		specs = append(specs, C.GoString(C.signdoc_strings_get(found, i)))
	}
	return specs, nil
}

func closed() *Error {
	return own(CodeClientClosed, "the client is closed; make a new one", nil)
}

// Version is that of the library that is loaded.
func Version() string { return C.GoString(C.signdoc_version()) }

// Explain tells all rows of the error table that a number, name or constant may mean.
func Explain(word string) (string, error) {
	given := C.CString(word)
	defer C.free(unsafe.Pointer(given))
	var found C.signdoc_buffer
	var failure *C.signdoc_error
	code := C.signdoc_explain(given, &found, &failure)
	if err := taken(code, failure); err != nil {
		return "", err
	}
	defer C.signdoc_buffer_free(&found)
	return C.GoStringN((*C.char)(unsafe.Pointer(found.ptr)), C.int(found.len)), nil
}
