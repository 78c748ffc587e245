/// The page of one command.
struct ManualPage {
  let command: CommandDefinition
  /// The names of the pages to see also.
  let related: [String]
  /// A program with the name of this page, which `tessera` starts for the command.
  let starts: CommandDefinition?
  let date: ManualDate

  var fileName: String { "\(command.pageName).1" }

  private var title: String { command.words.joined(separator: " ") }
  private var text: CommandText { CommandText(command.discussion ?? "") }

  /// The page in mdoc.
  func mdoc() -> String {
    let head = [
      ".\\\" Written by tessera-manual from the definitions of the arguments.", ".Dd \(date.text)",
      ".Dt \(command.pageName.uppercased()) 1", ".Os Tessera",
    ]
    // In the order of mdoc(7).
    let sections = [
      name, synopsis, description, arguments, options, commands, environment, files, exitStatus, examples, seeAlso,
    ]
    return (head + sections.filter { !$0.isEmpty }.flatMap(\.lines)).joined(separator: "\n") + "\n"
  }

  // MARK: - Sections

  private var name: MdocSection {
    var section = MdocSection("NAME")
    section.macros([".Nm \(command.pageName)", ".Nd \(Roff.line(Self.summary(command.abstract ?? title)))"])
    return section
  }

  /// The first sentence, as a phrase.
  private static func summary(_ abstract: String) -> String {
    let end = abstract.firstRange(of: ". ")?.lowerBound ?? abstract.endIndex
    let sentence = abstract[..<end]
    let phrase = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
    // Not the first letter of an acronym.
    guard phrase.dropFirst().first?.isLowercase == true else { return String(phrase) }
    return phrase.prefix(1).lowercased() + phrase.dropFirst()
  }

  private var synopsis: MdocSection {
    var section = MdocSection("SYNOPSIS")
    section.macros([".Nm \(Roff.argument(command.words.first ?? title))"])
    section.macros(command.words.dropFirst().map { ".Cm \(Roff.argument($0))" })
    let own = command.shownArguments.filter { !$0.isStandard }
    section.macros(own.filter { $0.kind != .positional }.map(Self.usage))
    section.macros(own.filter { $0.kind == .positional }.map(Self.usage))
    if !command.shownSubcommands.isEmpty {
      section.macros([command.defaultSubcommand == nil ? ".Ar command" : ".Op Ar command", ".Op Ar argument ..."])
    }
    return section
  }

  private static func usage(_ argument: ArgumentDefinition) -> String {
    guard argument.kind != .positional else {
      let value = "Ar \(Roff.argument(argument.valueName ?? "value"))\(argument.isRepeating ? " ..." : "")"
      return argument.isOptional ? ".Op \(value)" : ".\(value)"
    }
    let option = (argument.preferredName ?? argument.names?.first).map { tag($0, argument) } ?? ""
    return argument.isOptional || argument.kind == .flag ? ".Op \(option)" : ".\(option)"
  }

  private var description: MdocSection {
    var section = MdocSection("DESCRIPTION")
    section.paragraph(command.abstract ?? "")
    for block in text.description {
      switch block {
      case .paragraph(let text): section.paragraph(text)
      case .display(let lines): section.display(lines)
      }
    }
    if let starts {
      section.subsection("The program \(starts.commandName)")
      section.paragraph(
        """
        `\(title)` and other commands start the program `\(starts.commandName)`, which can also be run by itself. Each of \
        its commands has the options of the command of `\(command.words.first ?? "")` with that name:
        """)
      section.list(
        starts.tree.filter { $0.shownSubcommands.isEmpty }.map { command in
          (tag: "Nm " + command.words.map(Roff.argument).joined(separator: " "), text: [command.abstract ?? ""])
        })
    }
    return section
  }

  private var arguments: MdocSection {
    var section = MdocSection("ARGUMENTS")
    section.list(
      command.shownArguments.filter { $0.kind == .positional }.map { argument in
        (tag: "Ar \(Roff.argument(argument.valueName ?? "value"))", text: Self.explanation(argument))
      })
    return section
  }

  private var options: MdocSection {
    var section = MdocSection("OPTIONS")
    let named = command.shownArguments.filter { $0.kind != .positional }
    // Those without a title come first.
    var titles: [String?] = [nil]
    for argument in named where !titles.contains(argument.sectionTitle) { titles.append(argument.sectionTitle) }
    for title in titles {
      let group = named.filter { $0.sectionTitle == title }
      if let title { section.subsection(title) }
      section.list(group.map { argument in (tag: Self.tags(argument), text: Self.explanation(argument)) })
    }
    return section
  }

  private static func tags(_ argument: ArgumentDefinition) -> String {
    (argument.names ?? []).map { tag($0, argument) }.joined(separator: " , ")
  }

  /// `Fl` writes one hyphen itself.
  private static func tag(_ name: ArgumentDefinition.Name, _ argument: ArgumentDefinition) -> String {
    let option = "Fl \(Roff.argument(String(name.text.dropFirst())))"
    guard argument.kind == .option else { return option }
    let value = "Ar \(Roff.argument(argument.valueName ?? "value"))"
    return argument.hasOptionalValue ? "\(option) Op \(value)" : "\(option) \(value)"
  }

  private static func explanation(_ argument: ArgumentDefinition) -> [String] {
    let abstract = argument.abstract ?? ""
    let values = argument.allValues ?? []
    var facts: [String] = []
    if !values.allSatisfy({ abstract.contains($0) }) { facts.append("Values: \(values.joined(separator: ", ")).") }
    if argument.kind != .flag, let value = argument.defaultValue, !value.isEmpty {
      if argument.hasOptionalValue {
        facts.append("Without a value: \(value).")
      } else if !abstract.contains("default") {
        facts.append("Default: \(value).")
      }
    }
    return [([abstract] + facts).joined(separator: " "), argument.discussion ?? ""]
  }

  private var commands: MdocSection {
    var section = MdocSection("COMMANDS")
    section.list(
      command.shownSubcommands.map { subcommand in
        let isDefault = subcommand.commandName == command.defaultSubcommand
        let text = (subcommand.abstract ?? "") + (isDefault ? " It runs if no command is named." : "")
        return (tag: "Xr \(subcommand.pageName) 1", text: [text])
      })
    return section
  }

  private var environment: MdocSection {
    var section = MdocSection("ENVIRONMENT")
    section.list(
      ManualEntry.environment.filter { $0.concerns(command.pageName) }.map { entry in
        (tag: "Ev \(Roff.argument(entry.name))", text: [entry.text])
      })
    return section
  }

  private var files: MdocSection {
    var section = MdocSection("FILES")
    section.list(
      ManualEntry.files.filter { $0.concerns(command.pageName) }.map { entry in
        (tag: "Pa \(Roff.argument(entry.name))", text: [entry.text])
      })
    return section
  }

  private var exitStatus: MdocSection {
    var section = MdocSection("EXIT STATUS")
    if let exitStatus = text.exitStatus { section.paragraph("Of this command: \(exitStatus)") }
    section.list(ManualStatus.all.map { (tag: "\($0.number)", text: [$0.text]) })
    return section
  }

  private var examples: MdocSection {
    var section = MdocSection("EXAMPLES")
    let examples = Example.all.filter { $0.command == title }
    for example in examples {
      section.paragraph(example.introduction)
      section.display(example.line.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
    if examples.isEmpty { section.display(text.examples) }
    return section
  }

  private var seeAlso: MdocSection {
    var section = MdocSection("SEE ALSO")
    let names = Set(related).sorted()
    section.macros(names.map { name in ".Xr \(name) 1" + (name == names.last ? "" : " ,") })
    return section
  }
}
