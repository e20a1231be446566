/** The completion scripts of shells. They call the program by the typed name for candidates. */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Line in place of a candidate: file names are candidates too. */
export const FILES = ":files";

/** Scripts by shell. They pass words on unchanged, so that the shell runs nothing in them. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of sv-emulate
_sv_emulate() {
  local line current=\${COMP_WORDS[COMP_CWORD]}
  local -a found=() files=()
  # bash parts --flag=value into three words.
  [[ $current == = ]] && current=
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      mapfile -t files < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
    else
      found+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]##*/}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${found[@]}" "\${files[@]}")
}
complete -F _sv_emulate sv-emulate sv-runtime
`,
  zsh: `#compdef sv-emulate sv-runtime
# zsh completion of sv-emulate
_sv_emulate() {
  local line files
  local -a found
  for line in "\${(@f)$(\${words[1]:t} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${FILES} ]]; then
      files=1
    elif [[ -n $line ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  _describe 'sv-emulate' found
  [[ -n $files ]] && _files
}
compdef _sv_emulate sv-emulate sv-runtime
`,
  fish: `# fish completion of sv-emulate
function __sv_emulate_complete
  set -l words (commandline -opc)
  set -l program (string replace -r '.*/' '' -- $words[1])
  for line in (command $program complete -- $words[2..-1] "$(commandline -ct)" 2>/dev/null)
    if test "$line" = "${FILES}"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c sv-emulate -f -a '(__sv_emulate_complete)'
complete -c sv-runtime -f -a '(__sv_emulate_complete)'
`,
};

export function shellScript(shell: Shell): string {
  return SCRIPTS[shell];
}
