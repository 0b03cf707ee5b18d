#!/bin/sh
# Every network on this machine; the long test has the chips too.
exec "$(dirname "$0")/networks" host
