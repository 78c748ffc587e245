import ArgumentParser
import TesseraCommandLine

/// The scripts that complete command lines in shells. For a command of another program, they ask the script of that program.
/// Where the scripts offer nothing, bash and zsh complete the names of files, as without a script.
struct Completions {
  private let shell: CompletionShell
  private static let option = "--generate-completion-script"

  /// - Returns: nil if the arguments ask for something else, or for a shell that the parser does not know.
  init?(_ arguments: [String]) {
    let words = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    guard words.count == 2, words[0] == Self.option, let shell = CompletionShell(rawValue: words[1]) else { return nil }
    self.shell = shell
  }

  var script: String {
    let own = TesseraCommand.completionScript(for: shell)
    switch shell {
    case .bash: return "\(own)\n\(bash)"
    case .fish: return "\(own)\n\(fish)"
    // The last lines of the own script call its function.
    default: return own.replacing("\nif [[ \"${funcstack[1]}\"", with: "\n\(zsh)\nif [[ \"${funcstack[1]}\"")
    }
  }

  /// `word|word) program=NAME ;;` for each program.
  private var cases: String {
    programs.map { "    \($0.words.joined(separator: "|"))) program=\($0.name) ;;" }.joined(separator: "\n")
  }

  private var programs: [(name: String, words: [String])] {
    let names = SiblingCommand.all.map(\.program.name)
    return Set(names).sorted().map { name in
      (name, SiblingCommand.all.filter { $0.program.name == name }.map(\.name))
    }
  }

  /// Takes `--option=value` for two words, which the functions of the parser know. They take the word behind `--virtual`
  /// for its value, which may be left out, and so never see that option if another one follows. `tessera help` completes
  /// the names of commands, which those functions have in theirs: `_tessera_passport_read`.
  private var bash: String {
    """
    _tessera_and_programs() {
        local program= word= equals= cur="${2}"
        local -a names=()
        local -i index current=0 first=1
        for index in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[index]}"
            # A word of its own, unless COMP_WORDBREAKS has no such character.
            if [[ "${index}" -gt 0 && "${word}" = '=' && "${COMP_WORDS[index - 1]}" = --* ]]; then
                [[ "${index}" -eq "${COMP_CWORD}" ]] || continue
                word= cur=
            elif [[ "${word}" = --*=* ]]; then
                [[ "${index}" -ne "${COMP_CWORD}" ]] || equals="${word%%=*}=" cur="${cur#*=}"
                names+=("${word%%=*}")
                word="${word#*=}"
            elif [[ "${word}" = -* && "${#names[@]}" -gt 0 && "${names[${#names[@]} - 1]}" = --virtual ]]; then
                unset "names[${#names[@]} - 1]"
            fi
            [[ "${index}" -ne "${COMP_CWORD}" ]] || current="${#names[@]}"
            names+=("${word}")
        done
        local -a COMP_WORDS=("${names[@]}")
        local -i COMP_CWORD="${current}"
        [[ "${COMP_WORDS[1]}" != help || "${COMP_CWORD}" -lt 2 ]] || first=2
        case "${COMP_WORDS[first]}" in
    \(cases)
        esac
        if [[ -z "${program}" && "${COMP_CWORD}" -gt "${first}" && "${COMP_WORDS[first]}" != -* ]] &&
            ! declare -F "_tessera_${COMP_WORDS[first]}" > /dev/null; then
            # No command; what a program of that name takes, nobody knows.
            [[ -n "$(type -P "tessera-${COMP_WORDS[first]}")" ]] || compopt +o default 2> /dev/null
            return
        elif [[ -z "${program}" || "${COMP_CWORD}" -le "${first}" ]]; then
            program=tessera
        else
            declare -F "_${program}" > /dev/null || source <("${program}" \(Self.option) bash 2> /dev/null)
        fi
        if [[ "${first}" -eq 2 ]]; then
            compopt +o default +o filenames 2> /dev/null
            local prefix="_${program}"
            for word in "${COMP_WORDS[@]:2:COMP_CWORD - 2}"; do prefix+="_${word}"; done
            for word in $(compgen -A function "${prefix}_${cur}"); do
                word="${word#"${prefix}_"}"
                [[ "${word}" = *_* || "${word}" = help ]] || COMPREPLY+=("${word}")
            done
        elif declare -F "_${program}" > /dev/null; then
            "_${program}" "${1}" "${cur}" "${COMP_WORDS[COMP_CWORD - 1]}"
            COMPREPLY=("${COMPREPLY[@]/#/${equals}}")
        fi
    }
    complete -o default -o filenames -F _tessera_and_programs tessera
    """
  }

  private var zsh: String {
    """
    functions[__tessera_alone]="${functions[_tessera]}"
    _tessera() {
        local program= word= prefix=
        local -a names=()
        local -i index current=0 first=2
        for index in {1..${#words}}; do
            word="${words[index]}"
            if [[ "${word}" = --*=* ]]; then
                [[ "${index}" -ne "${CURRENT}" ]] || compset -P 1 '*='
                names+=("${word%%=*}")
                word="${word#*=}"
            elif [[ "${word}" = -* && "${names[-1]}" = --virtual ]]; then
                names[-1]=()
            fi
            names+=("${word}")
            [[ "${index}" -ne "${CURRENT}" ]] || current="${#names}"
        done
        words=("${(@)names}")
        CURRENT="${current}"
        names=()
        [[ "${words[2]}" != help || "${CURRENT}" -lt 3 ]] || first=3
        case "${words[first]}" in
    \(cases)
        esac
        if [[ -z "${program}" && "${CURRENT}" -gt "${first}" && "${words[first]}" != -* ]] &&
            (( ! ${+functions[_tessera_${words[first]}]} )); then
            [[ -z "${commands[tessera-${words[first]}]}" ]] || _files
            return
        elif [[ -z "${program}" || "${CURRENT}" -le "${first}" ]]; then
            program=tessera
        else
            (( ${+functions[_${program}]} )) || eval "$("${program}" \(Self.option) zsh 2> /dev/null)"
        fi
        if [[ "${first}" -eq 3 ]]; then
            prefix="_${program}"
            for word in "${(@)words[3,CURRENT - 1]}"; do prefix+="_${word}"; done
            for word in "${(@k)functions}"; do
                if [[ "${word}" = "${prefix}"_* ]]; then names+=("${word#"${prefix}"_}"); fi
            done
            compadd -- "${(@)names:#(*_*|help)}"
        elif [[ "${program}" = tessera ]]; then
            __tessera_alone "${@}" || _files
        else
            (( ${+functions[_${program}]} )) && "_${program}" "${@}"
        fi
    }
    """
  }

  /// Names of commands have descriptions, which those of files have not.
  private var fish: String {
    let cases = programs.map { "    case \($0.words.joined(separator: " "))\n        set program \($0.name)" }
    let places = programs.map { program in
      let place = "set -l words (commandline -opc); contains -- \"$words[2]\" \(program.words.joined(separator: " "))"
      return "complete -c tessera -n '\(place)' -f -a '(__tessera_of_program \(program.name) 2)'"
    }
    return """
      function __tessera_of_program -a program first
          if not functions -q "__"$program"_tokens"
              command -q $program; or return
              $program \(Self.option) fish 2> /dev/null | source
          end
          set -l words (commandline -opc)
          complete -C (string join " " -- $program $words[$first..] (commandline -ct))
      end
      function __tessera_help_commands
          set -l words (commandline -opc)
          set -l program tessera
          switch "$words[3]"
      \(cases.joined(separator: "\n"))
          end
          __tessera_of_program $program 3 | string match -r '^[a-z]\\S*\\t.*' | string match -v -r '^help\\t'
      end
      complete -c tessera -n 'set -l words (commandline -opc); test "$words[2]" = help' -f -a '(__tessera_help_commands)'
      \(places.joined(separator: "\n"))
      """
  }
}
