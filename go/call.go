package signdoc

/*
#include <signdoc.h>

int32_t signdoc_go_set_progress(signdoc_call *call, uintptr_t context, signdoc_error **error);
int32_t signdoc_go_set_log(signdoc_call *call, int32_t least, uintptr_t context,
                           signdoc_error **error);
*/
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"time"
)

// Progress is how far a call is, in bytes of the request and answer bodies.
type Progress struct {
	// ToSend is 0 until the request starts.
	ToSend uint64
	// Sent begins at 0 again where the request is repeated.
	Sent     uint64
	Received uint64
}

// LogLevel is how important an event is.
type LogLevel int32

// The levels: each request and answer; what changed; a repetition or hidden failure.
const (
	LogDebug   LogLevel = C.SIGNDOC_LOG_DEBUG
	LogInfo    LogLevel = C.SIGNDOC_LOG_INFO
	LogWarning LogLevel = C.SIGNDOC_LOG_WARNING
)

// LogEvent is one thing that a call did; it holds no secret.
type LogEvent struct {
	Level LogLevel
	// CorrelationID is the same for all that one call does.
	CorrelationID string
	Message       string
}

// Answer is the last answer of a call, for support.
type Answer struct {
	// Status is 0 where no answer came.
	Status int
	// Headers has those that may be shown, by lower-case name.
	Headers map[string]string
	// Body is empty for answers that carry documents or tokens.
	Body string
}

// CallOptions are the settings of one call; the zero value is fine.
type CallOptions struct {
	// Timeout is the time the call may take in all; 0: the client's own limit.
	Timeout time.Duration
	// ConnectTimeout is the time a connection may take to be made, ReadTimeout the time it may be
	// silent; 0: the client's own limits.
	ConnectTimeout, ReadTimeout time.Duration
	// Progress is told how far the call is.
	Progress func(Progress)
	// Log is told what the call does.
	Log func(LogEvent)
	// LastAnswer, where it is set, gets the call's last answer.
	LastAnswer *Answer
}

func (o CallOptions) timeoutMS() C.uint64_t { return milliseconds(o.Timeout) }

func milliseconds(limit time.Duration) C.uint64_t {
	if limit <= 0 {
		return 0
	}
	// Less than a millisecond must not mean no limit.
	return C.uint64_t((limit + time.Millisecond - 1) / time.Millisecond)
}

// call makes one call of C, which ends when ctx is done. What went wrong in functions of the
// caller's is put into caught.
func call(ctx context.Context, options CallOptions, caught *caught,
	work func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t) error {
	view := C.signdoc_call_new()
	defer C.signdoc_call_free(view)
	follower := &follower{caught: caught, progress: options.Progress, log: options.Log}
	handle := cgo.NewHandle(follower)
	defer handle.Delete()
	var failure *C.signdoc_error
	limits := [2]C.uint64_t{milliseconds(options.ConnectTimeout), milliseconds(options.ReadTimeout)}
	code := C.signdoc_call_set_timeouts(view, limits[0], limits[1], &failure)
	if err := taken(code, failure); err != nil {
		return err
	}
	if options.Progress != nil {
		code := C.signdoc_go_set_progress(view, C.uintptr_t(handle), &failure)
		if err := taken(code, failure); err != nil {
			return err
		}
	}
	if options.Log != nil {
		code := C.signdoc_go_set_log(view, C.SIGNDOC_LOG_DEBUG, C.uintptr_t(handle), &failure)
		if err := taken(code, failure); err != nil {
			return err
		}
	}
	stop := watch(ctx, view)
	code = work(view, &failure)
	stop()
	err := taken(code, failure)
	if options.LastAnswer != nil {
		*options.LastAnswer = lastAnswer(view)
	}
	if caught.panicked != nil {
		panic(caught.panicked)
	}
	var told *Error
	if errors.As(err, &told) {
		switch told.Code {
		case CodeCancelled, CodeReceptionContinues:
			told.cause = ctx.Err()
		case CodeCallbackFailed:
			told.cause = caught.err
		}
	}
	return err
}

// watch ends the call when ctx is done. The function it gives ends the watch, and returns when the
// view is not used any more.
func watch(ctx context.Context, view *C.signdoc_call) (stop func()) {
	if ctx.Err() != nil {
		C.signdoc_call_cancel(view)
	}
	if ctx.Done() == nil {
		return func() {}
	}
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ctx.Done():
			C.signdoc_call_cancel(view)
		case <-ended:
		}
	}()
	return func() {
		close(ended)
		<-left
	}
}

func lastAnswer(view *C.signdoc_call) Answer {
	var answer *C.signdoc_answer
	if C.signdoc_call_last_answer(view, &answer, nil) != C.SIGNDOC_OK || answer == nil {
		return Answer{}
	}
	defer C.signdoc_answer_free(answer)
	headers := map[string]string{}
	for i := C.size_t(0); i < C.signdoc_answer_header_count(answer); i++ {
		name := C.GoString(C.signdoc_answer_header_name(answer, i))
		headers[name] = C.GoString(C.signdoc_answer_header_value(answer, i))
	}
	return Answer{
		Status:  int(C.signdoc_answer_status(answer)),
		Headers: headers,
		Body:    C.GoString(C.signdoc_answer_body(answer)),
	}
}
