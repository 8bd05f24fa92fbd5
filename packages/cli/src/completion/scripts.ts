/** The shells that have a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const

// Each script passes the words before the cursor to `flowpost completion --suggest`, which prints completions of the last
// word, one per line. If it prints none, the shell completes file names.

// Bash starts a new word after a colon, and replaces only that word. The script therefore splits the line itself, and removes
// the text up to the last colon from each completion.
const bash = `# Completion of flowpost for bash. In ~/.bashrc: source <(flowpost completion bash)
_flowpost() {
  local line="\${COMP_LINE:0:COMP_POINT}" prefix=''
  local -a words
  IFS=' ' read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  local word="\${words[\${#words[@]}-1]}"
  [[ $word == *:* ]] && prefix="\${word%"\${word##*:}"}"
  local IFS=$'\\n'
  COMPREPLY=($(flowpost completion --suggest -- "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
}
complete -o default -F _flowpost flowpost
`

const zsh = `#compdef flowpost
# Completion of flowpost for zsh. In ~/.zshrc, after compinit: source <(flowpost completion zsh)
_flowpost() {
  local -a suggestions
  suggestions=("\${(@f)$(flowpost completion --suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  suggestions=(\${suggestions:#})
  if (( $#suggestions )); then compadd -a suggestions; else _files; fi
}
compdef _flowpost flowpost
`

const fish = `# Completion of flowpost for fish. Run: flowpost completion fish > ~/.config/fish/completions/flowpost.fish
function __flowpost_suggest
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l suggestions (flowpost completion --suggest -- $words[2..] "$word" 2>/dev/null)
    if set -q suggestions[1]
        printf '%s\\n' $suggestions
    else
        __fish_complete_path "$word"
    end
end
complete --command flowpost --no-files --arguments '(__flowpost_suggest)'
`

/** Returns a shell's completion script, or `undefined` for an unsupported shell. */
export const completionScript = (shell: string): string | undefined => new Map(Object.entries({ bash, zsh, fish })).get(shell)
