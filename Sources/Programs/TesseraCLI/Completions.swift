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

  private var bash: String {
    """
    _tessera_and_programs() {
        local program=
        case "${COMP_WORDS[1]}" in
    \(cases)
        esac
        if [[ -z "${program}" || "${COMP_CWORD}" -lt 2 ]]; then
            _tessera "${@}"
            return
        fi
        declare -F "_${program}" > /dev/null || source <("${program}" \(Self.option) bash 2> /dev/null)
        if declare -F "_${program}" > /dev/null; then "_${program}" "${@}"; fi
    }
    complete -o default -o filenames -F _tessera_and_programs tessera
    """
  }

  private var zsh: String {
    """
    functions[_tessera_alone]="${functions[_tessera]}"
    _tessera() {
        local program=
        case "${words[2]}" in
    \(cases)
        esac
        if [[ -z "${program}" || "${CURRENT}" -lt 3 ]]; then
            _tessera_alone "${@}" || _files
            return
        fi
        (( ${+functions[_${program}]} )) || eval "$("${program}" \(Self.option) zsh 2> /dev/null)"
        (( ${+functions[_${program}]} )) && "_${program}" "${@}"
    }
    """
  }

  private var fish: String {
    programs.map { program in
      let place = "set -l words (commandline -opc); contains -- \"$words[2]\" \(program.words.joined(separator: " "))"
      let line = "(string join \" \" -- \(program.name) $words[2..] (commandline -ct))"
      return "complete -c tessera -n '\(place)' -f -a '(set -l words (commandline -opc); complete -C \(line))'"
    }.joined(separator: "\n")
  }
}
