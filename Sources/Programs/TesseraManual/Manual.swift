import Glibc

/// The pages of several programs.
struct Manual {
  let pages: [ManualPage]

  /// - Throws: `ManualError.samePage`.
  init(_ programs: [ProgramDefinition], date: ManualDate) throws(ManualError) {
    let roots = programs.map(\.command)
    let subcommands = Self.commands(roots).filter { $0.superCommands?.isEmpty == false }
    // `tessera fleet` and the program `tessera-fleet` have one page: the first starts the second.
    let started = roots.filter { root in subcommands.contains { $0.pageName == root.pageName } }
    let commands = Self.commands(roots.filter { root in !started.contains { $0.pageName == root.pageName } }, started)
    let names = commands.map(\.pageName)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) { throw .samePage(name) }
    pages = commands.map { command in
      ManualPage(
        command: command, related: Self.related(to: command, commands),
        starts: started.first { $0.pageName == command.pageName }, date: date)
    }
  }

  /// The commands of programs, each once: `tessera` starts other programs for some of its own.
  ///
  /// - Parameter started: programs without a page of their own.
  static func commands(_ roots: [CommandDefinition], _ started: [CommandDefinition] = []) -> [CommandDefinition] {
    guard let first = roots.first else { return [] }
    let all = first.taking(roots.dropFirst() + started).prefix(roots.count)
    return all.flatMap(\.tree).reduce(into: []) { unique, command in
      // A program that is given twice is a mistake, which the caller finds.
      if command.words.count == 1 || !unique.contains(where: { $0.words == command.words }) { unique.append(command) }
    }
  }

  /// The command above, those beside and below, and those of other programs that do the same.
  private static func related(to command: CommandDefinition, _ all: [CommandDefinition]) -> [String] {
    let parent = command.words.dropLast()
    // All commands of a program are too many; its own page lists them.
    let siblings = parent.count > 1 ? all.filter { $0.words.dropLast() == parent } : []
    let near = all.filter { $0.words[...] == parent } + siblings + command.shownSubcommands
    let programs = ["tessera-flow-run", "tessera-open", "tessera-window"]
    let same = programs.contains(command.pageName) ? all.filter { programs.contains($0.pageName) } : []
    let first = all.filter { $0.pageName == "tessera" }
    let others = command.words == ["tessera"] ? all.filter { $0.words.count == 1 } : []
    return (near + same + first + others).map(\.pageName).filter { $0 != command.pageName }
  }
}

/// The day that the pages state, in UTC, so that two builds have the same pages.
struct ManualDate: Sendable {
  /// In the form of mdoc: `November 27, 2026`.
  let text: String

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// - Parameter seconds: since 1970.
  /// - Throws: `ManualError.noDate` for a number that is no date.
  init(seconds: Int) throws(ManualError) {
    var time = time_t(seconds)
    var parts = tm()
    guard seconds >= 0, gmtime_r(&time, &parts) != nil, Self.months.indices.contains(Int(parts.tm_mon)) else {
      throw .noDate
    }
    text = "\(Self.months[Int(parts.tm_mon)]) \(parts.tm_mday), \(Int(parts.tm_year) + 1900)"
  }
}

/// Why the manual was not written.
enum ManualError: Error, Equatable, CustomStringConvertible {
  case cannotRun(String)
  case notADefinition(String)
  /// Two commands have one page.
  case samePage(String)
  case cannotWrite(String)
  case noDate

  var description: String {
    switch self {
    case .cannotRun(let path): "The program \(path) cannot be run, or failed."
    case .notADefinition(let path): "The program \(path) does not print its definitions. Is it built?"
    case .samePage(let name): "Two commands have the page \(name)."
    case .cannotWrite(let path): "\(path) cannot be written."
    case .noDate: "The pages need a date: set SOURCE_DATE_EPOCH, or use --date, in seconds since 1970."
    }
  }
}
