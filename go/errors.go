package signdoc

// #include <signdoc.h>
import "C"

import (
	"encoding/json"
	"time"
)

// Code is the number of an error, the same in every language; docs/errors.md explains each.
type Code int32

// Warning is the number of a conversion warning.
type Warning int32

// Error is one failure, with all that is known about it.
type Error struct {
	Code Code
	// Name is the service's own word where it has one, else this library's.
	Name string
	// Constant is the name of the number, as in SIGNDOC_E_DOCUMENT_TOO_LARGE.
	Constant string
	// Message says what happened, where, and the remedy.
	Message string
	// Advice says what to do next.
	Advice string
	// Category is how the interface specification groups errors.
	Category string
	// Origin is "local" or "service".
	Origin string
	// HTTPStatus is 0 where there was no answer.
	HTTPStatus int
	// Reference is the service's, for its support; empty where it gave none.
	Reference string
	// Retryable says whether the same call may succeed later.
	Retryable bool
	// RetryAfter is how long the service asked to wait; below zero where it did not say.
	RetryAfter time.Duration
	// Details is what a program may want to know besides: "field", "limit", "actual", "path".
	Details map[string]any
	// Results has the results of all documents of a conversion that failed as a whole or in part.
	Results []Conversion
	// Download has what arrived whole of a download that failed.
	Download *Download
	// Order is the order that exists although the call failed; nil where there is none.
	Order *Order
	// RawAnswer is the answer to a download to memory that could not be taken apart: the only copy.
	// After a download into a folder it lies there, as Details["raw_answer"] says.
	RawAnswer []byte

	cause error
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the context's error where the context ended the call, and the error of a reader or
// writer that failed.
func (e *Error) Unwrap() error { return e.cause }

// errorOf takes what C knows of a failure, which stays C's.
func errorOf(from *C.signdoc_error) *Error {
	if from == nil {
		return nil
	}
	made := &Error{
		Code:       Code(C.signdoc_error_code(from)),
		Name:       C.GoString(C.signdoc_error_name(from)),
		Constant:   C.GoString(C.signdoc_error_constant(from)),
		Message:    C.GoString(C.signdoc_error_message(from)),
		Advice:     C.GoString(C.signdoc_error_advice(from)),
		Category:   C.GoString(C.signdoc_error_category(from)),
		Origin:     C.GoString(C.signdoc_error_origin(from)),
		HTTPStatus: int(C.signdoc_error_http_status(from)),
		Reference:  C.GoString(C.signdoc_error_reference(from)),
		Retryable:  C.signdoc_error_retryable(from) != 0,
		RetryAfter: time.Duration(C.signdoc_error_retry_after_ms(from)) * time.Millisecond,
		Results:    conversionsOf(C.signdoc_error_results(from)),
		Download:   downloadOf(C.signdoc_error_download(from)),
		Order:      lentOrder(C.signdoc_error_order(from)),
		RawAnswer:  bytesOf(C.signdoc_error_raw_answer(from)),
	}
	details := C.GoString(C.signdoc_error_details_json(from))
	if err := json.Unmarshal([]byte(details), &made.Details); err != nil {
		made.Details = map[string]any{"unreadable": details}
	}
	return made
}

// own is a failure that this package found; its row of the error table says the rest.
func own(code Code, message string, details map[string]any) *Error {
	made := &Error{Code: code, Message: message, Origin: "local", RetryAfter: -time.Millisecond, Details: details}
	var told C.signdoc_buffer
	if C.signdoc_error_table_json(&told, nil) != C.SIGNDOC_OK {
		return made
	}
	defer C.signdoc_buffer_free(&told)
	var table struct {
		Codes []struct {
			Number                           Code
			Name, Constant, Category, Advice string
		}
	}
	if json.Unmarshal([]byte(textOf(&told)), &table) != nil {
		return made
	}
	for _, row := range table.Codes {
		if row.Number == code {
			made.Name, made.Constant, made.Category, made.Advice = row.Name, row.Constant, row.Category, row.Advice
		}
	}
	return made
}

// taken is the failure that C wrote, which is freed; nil where the call succeeded.
func taken(code C.int32_t, from *C.signdoc_error) error {
	if code == C.SIGNDOC_OK {
		return nil
	}
	defer C.signdoc_error_free(from)
	return errorOf(from)
}
