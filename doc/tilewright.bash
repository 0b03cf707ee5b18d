# Completion for bash: verbs, targets, options, files.
_tilewright()
{
    local word=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}

    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "compile run shard validate tune generate quantize check report pack sim shell devices targets \
            ops help --version" -- "$word"))
        return
    fi
    case $prev in
    -t | targets)
        COMPREPLY=($(compgen -W "$(tilewright targets 2>/dev/null |
            cut -d' ' -f1)" -- "$word") $(compgen -f -X '!*.soc' -- "$word"))
        return ;;
    --ranges)
        COMPREPLY=($(compgen -W "mse minmax percentile kl" -- "$word"))
        return ;;
    --rounding)
        COMPREPLY=($(compgen -W "learned nearest" -- "$word"))
        return ;;
    --objective)
        COMPREPLY=($(compgen -W "time memory energy flash" -- "$word"))
        return ;;
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "-t -o -i -e -n -f -q -v --json --html --csv --why --sweep --compare --battery --channels \
        --kernels --keep --dim --at --given --context --chunk --tokenizer --prompt --tokens --temperature --top-p --top-k \
        --penalty --seed --past-end --data --labels --test --ranges --rounding --as-is --merge --max-drop --bytes --samples --exhaustive --halving -j --worker --part --weights --group --activations --state --sequence --mem --l1 --l2 --chips --topology --pipeline --images --inner --cores --mhz \
        --objective --no-engine \
        --budget --straight --no-copies --input-type --tolerance --dump --runner --device --flash --ledger --emulate \
        --runtime --package --bin --no-bin -d --explain --capacity --chips --max-cycles --dir --all \
        --trace --timeline --gdb --jtag --strict" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _tilewright tilewright
