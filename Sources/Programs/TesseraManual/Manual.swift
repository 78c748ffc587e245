/// The pages of several programs.
struct Manual {
  let pages: [ManualPage]

  /// - Throws: `ManualError.samePage`.
  init(_ programs: [ProgramDefinition], date: ManualDate) throws(ManualError) {
    let roots = programs.map(\.command)
    let subcommands = roots.flatMap { $0.tree.dropFirst() }
    // `tessera fleet` and the program `tessera-fleet` have one page: the first starts the second.
    let started = roots.filter { root in subcommands.contains { $0.pageName == root.pageName } }
    let commands = roots.filter { root in !started.contains { $0.pageName == root.pageName } }.flatMap(\.tree)
    let names = commands.map(\.pageName)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) { throw .samePage(name) }
    pages = commands.map { command in
      ManualPage(
        command: command, related: Self.related(to: command, commands),
        starts: started.first { $0.pageName == command.pageName }, date: date)
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
