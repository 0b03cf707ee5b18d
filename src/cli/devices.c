/* tilewright devices [TARGET]: what a session could be had with: servers that
 * chips' files name, ports where one listens, probes that are plugged in.
 * Nothing is connected to: a server halts its target when somebody does. */
#include "cli/cli.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

/* Who uses to listen where. */
static const struct Port {
    int port;
    const char *who;
} ports[] = {
    {3333, "OpenOCD or pyOCD"}, {2331, "J-Link"}, {1337, "probe-rs"},
    {1234, "QEMU"}, {61234, "ST-LINK GDB server"}, {2000, "Black Magic"},
};

/* USB numbers of probes. */
static const struct Probe {
    const char *vendor, *product; /* a prefix */
    const char *name, *server;
} probes[] = {
    {"0483", "374", "ST-Link", "openocd -f interface/stlink.cfg"},
    {"0483", "3748", "ST-Link/V2", "openocd -f interface/stlink.cfg"},
    {"1366", "", "J-Link", "JLinkGDBServer"},
    {"0d28", "0204", "DAPLink (CMSIS-DAP)", "pyocd gdbserver"},
    {"2e8a", "000c", "Debug Probe (CMSIS-DAP)", "pyocd gdbserver"},
    {"1d50", "6018", "Black Magic Probe", "its own serial port"},
    {"303a", "1001", "ESP32 USB JTAG", "openocd -f board/esp32c3-builtin.cfg"},
    {"0403", "6010", "FTDI FT2232 (often JTAG)", "openocd -f interface/ftdi"},
};

typedef struct Devices {
    List l;
    Str text;
    int n;
} Devices;

static void put(Devices *v, Json *j, const char *kind, const char *target,
                const char *device, const char *about, bool ready)
{
    v->n++;
    if (!j) {
        str_fmt(&v->text, "%-12s %-24s %s%s\n", target, device, about,
                ready ? "" : " (not installed)");
        return;
    }
    json_obj(j);
    json_key(j, "kind");
    json_str(j, kind);
    json_key(j, "target");
    json_str(j, *target == '-' ? NULL : target);
    json_key(j, "device");
    json_str(j, device);
    json_key(j, "about");
    json_str(j, about);
    json_key(j, "ready");
    json_bool(j, ready);
    json_end(j);
}

static void list_servers(Devices *v, Json *j, const char *target)
{
    const Soc *s = soc_read(v->l.mem, target);
    const Item *it;

    for (it = NULL; (it = soc_next(s, "server", it));) {
        const char *cmd = item_word(it, "cmd", "");
        const char *tool = arena_fmt(v->l.mem, "%.*s",
                                     (int)strcspn(cmd, " "), cmd);

        put(v, j, "server", s->name, it->name, item_word(it, "about", cmd),
            !*tool || *tool == '{' || shell_finds(tool));
    }
}

/* Ports where somebody listens, as the kernel has them: "sl local rem st". */
static bool listens(const char *file, int port)
{
    FILE *f = fopen(file, "r");
    unsigned at, state;
    char line[400], *s;
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        s = strchr(line, ':');
        s = s ? strchr(s + 1, ':') : NULL;
        found = s && sscanf(s + 1, "%x %*s %x", &at, &state) == 2 &&
                state == 10 && (int)at == port;
    }
    if (f)
        fclose(f);
    return found;
}

static void list_ports(Devices *v, Json *j)
{
    size_t i;

    for (i = 0; i < LEN(ports); i++)
        if (listens("/proc/net/tcp", ports[i].port) ||
            listens("/proc/net/tcp6", ports[i].port))
            put(v, j, "port", "-", arena_fmt(v->l.mem, "gdb:localhost:%d",
                ports[i].port), arena_fmt(v->l.mem, "something listens: %s?",
                ports[i].who), true);
}

static const char *usb_word(Devices *v, const char *dir, const char *file)
{
    FILE *f = fopen(arena_fmt(v->l.mem, "/sys/bus/usb/devices/%s/%s", dir,
                              file), "r");
    char s[100] = "";

    if (f && !fgets(s, sizeof s, f))
        s[0] = 0;
    if (f)
        fclose(f);
    s[strcspn(s, "\n")] = 0;
    return arena_str(v->l.mem, s);
}

static void list_probe(Devices *v, Json *j, const char *dir)
{
    const char *vendor = usb_word(v, dir, "idVendor");
    const char *product = usb_word(v, dir, "idProduct");
    size_t i;

    for (i = 0; i < LEN(probes); i++)
        if (!strcmp(vendor, probes[i].vendor) &&
            str_starts(product, probes[i].product)) {
            put(v, j, "probe", "-", arena_fmt(v->l.mem, "usb %s",
                usb_word(v, dir, "serial")), arena_fmt(v->l.mem, "%s: start %s",
                probes[i].name, probes[i].server), true);
            return;
        }
}

static void list_probes(Devices *v, Json *j)
{
    DIR *d = opendir("/sys/bus/usb/devices");
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (*e->d_name != '.')
            list_probe(v, j, e->d_name);
    if (d)
        closedir(d);
}

static void list_all(Devices *v, Json *j)
{
    const char **name = soc_names(v->l.mem);

    if (v->l.name)
        list_servers(v, j, v->l.name);
    for (; !v->l.name && *name; name++)
        list_servers(v, j, *name);
    list_ports(v, j);
    list_probes(v, j);
}

static void put_json(Json *j, const List *l)
{
    Devices *v = (Devices *)(void *)(uintptr_t)l;

    json_arr(j);
    list_all(v, j);
    json_end(j);
}

int verb_devices(int argc, char **argv)
{
    Arena *a = arena_new();
    Devices *v = NEW(a, Devices);

    list_begin(a, &v->l, "devices", put_json, argc, argv);
    v->text.mem = a;
    str_put(&v->text, "");
    list_all(v, NULL);
    if (!v->n)
        str_put(&v->text, "none: no chip names a server, nothing listens\n");
    list_show(&v->l, &v->text);
    return OK;
}
