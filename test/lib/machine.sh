# A Debian of its own in a folder, for tests that want an empty machine; to be
# read by a shell.

# new_machine DIR PACKAGE...: stable Debian with these packages and what stands
# here of names, certificates and pip's settings.  Without root, debootstrap or
# its archive the test is skipped.
new_machine() {
    machine=$1
    shift
    [ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 0; }
    command -v debootstrap >/dev/null ||
        { echo "skipped: no debootstrap"; exit 0; }
    debootstrap --variant=minbase --include="$(echo "$@" | tr ' ' ,)" \
        bookworm "$machine" >"$machine.log" 2>&1 ||
        { echo "skipped: $(tail -n 1 "$machine.log")"; exit 0; }
    cp /etc/resolv.conf "$machine/etc/"
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$machine/etc/"
    mkdir -p "$machine/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
}

# in_machine COMMAND: in the folder /tmp of the one that was made.
in_machine() {
    chroot "$machine" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin \
        DEBIAN_FRONTEND=noninteractive sh -c "cd /tmp && $1"
}
