#!/bin/sh
# In place of a loader and its program, in the tests of src/debian.rs: the last argument is run
# as a script.
exec /bin/sh "$3"
