#!/bin/sh
# `timely-sim serve` of these tests: the test program beside this link, which serves as `TIMELY_TEST_SERVE` says.
TIMELY_TEST_SERVE="$*" exec "$(dirname "$0")/timely-sim" --exact helper_that_serves --nocapture
