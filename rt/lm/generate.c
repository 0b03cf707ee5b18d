/* The program of `tilewright generate`: reads a request, prints the prompt and
 * what follows it as it comes, and writes the tokens to a file: how many the
 * prompt has, how many there are (none if the prompt's are more than the
 * context), all of them, then the stack that was used.
 * Every run of the network lies between marks. */
#include "generate.h"
#include "mark.h"
#include "rt.h"

#include <string.h>

#define talk tilewright_talk

enum { NO_FILE = 101, NO_MEMORY, RECENT = 64 };

static struct tilewright_lm lm;
static struct tilewright_lm_utf8 utf8;
static int32_t recent[RECENT];
static int32_t silent;

static void fail(const char *what, int status)
{
    rt_print(what);
    rt_print("\n");
    rt_exit(status);
}

static void say_byte(char byte)
{
    char text[5];

    text[tilewright_lm_whole(&utf8, byte, text)] = 0;
    rt_print(text);
}

static void say(int32_t before, int32_t token)
{
    const char *bytes;
    char raw[1];
    int32_t n, i;

    if (silent)
        return;
    n = tilewright_lm_decode(lm.model->words, before, token, raw, &bytes);
    for (i = 0; i < n; i++)
        say_byte(bytes[i]);
}

static const float *take(const int32_t *token, int32_t n)
{
    const float *logits;

    MARK_BEGIN();
    logits = tilewright_lm_prefill(&lm, token, n);
    MARK_END();
    return logits;
}

/* A run of the network for each chunk of the prompt. */
static const float *take_prompt(int32_t n, int32_t *stack)
{
    const float *logits = 0;
    int32_t i, k, part;

    for (i = 0; i < n; i += part) {
        part = n - i < lm.model->chunk ? n - i : lm.model->chunk;
        for (k = i ? i : 1; k < i + part; k++)
            say(talk.tokens[k - 1], talk.tokens[k]);
        logits = take(talk.tokens + i, part);
        if (!i)
            *stack = rt_stack_used();
    }
    return logits;
}

static void read_request(struct tilewright_request *r)
{
    int f = rt_open(talk.in_file, 0);

    if (f < 0 || rt_read(f, r, sizeof *r) != (int)sizeof *r ||
        r->prompt_bytes > talk.prompt_bytes)
        fail("cannot read the request", NO_FILE);
    if (r->prompt_bytes &&
        rt_read(f, talk.prompt, r->prompt_bytes) != r->prompt_bytes)
        fail("cannot read the prompt", NO_FILE);
    rt_close(f);
}

static void put(int f, const void *p, int32_t n)
{
    if (n && rt_write(f, p, n) != n)
        fail("cannot write the tokens", NO_FILE);
}

static void write_tokens(int32_t nprompt, int32_t n, int32_t stack)
{
    int f = rt_open(talk.out_file, 1);

    if (f < 0)
        fail("cannot write the tokens", NO_FILE);
    put(f, &nprompt, 4);
    put(f, &n, 4);
    put(f, talk.tokens, n * 4);
    put(f, &stack, 4);
    rt_close(f);
}

static int is_end(const struct tilewright_request *r, int32_t token)
{
    return r->until_end && (token == lm.model->words->bos ||
                            token == lm.model->words->eos);
}

/* -> tokens in all */
static int32_t generate(const struct tilewright_request *r, int32_t n,
                        struct tilewright_sampler *s, int32_t *stack)
{
    const float *logits = take_prompt(n, stack);
    int32_t most = n + r->tokens;

    if (most > lm.model->context)
        most = lm.model->context;
    while (n < most) {
        int32_t token = tilewright_lm_sample(s, logits, lm.model->vocab);

        if (is_end(r, token))
            break;
        say(talk.tokens[n - 1], token);
        talk.tokens[n++] = token;
        if (n < most)
            logits = take(&token, 1);
    }
    return n;
}

int main(void)
{
    struct tilewright_request r;
    struct tilewright_sampler s;
    int32_t n, nprompt, stack = -1;

    if (talk.init())
        fail("the network refuses its memory", NO_MEMORY);
    tilewright_lm_init(&lm, talk.model, talk.net);
    read_request(&r);
    silent = r.silent;
    memset(&s, 0, sizeof s);
    s.temperature = r.temperature;
    s.top_p = r.top_p;
    s.top_k = r.top_k;
    s.penalty = r.penalty;
    s.seed = (uint64_t)r.seed[1] << 32 | r.seed[0];
    s.scratch = talk.scratch;
    s.recent = recent;
    s.nrecent = RECENT;
    nprompt = tilewright_lm_encode(lm.model->words, talk.prompt,
                                   r.prompt_bytes, 1, talk.tokens,
                                   r.prompt_bytes + 2);
    rt_paint();
    n = nprompt > lm.model->context ? 0 : generate(&r, nprompt, &s, &stack);
    write_tokens(nprompt, n, stack);
    return 0;
}
