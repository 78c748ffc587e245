import Foundation
import Testing

@testable import TesseraManual

/// Pages of programs that exist only here.
@Suite("Pages of definitions")
struct ManualContentTests {
  private static func program(_ json: String) throws -> ProgramDefinition {
    try JSONDecoder().decode(ProgramDefinition.self, from: Data(json.utf8))
  }

  private static func manual(_ programs: String...) throws -> [String: String] {
    let manual = try Manual(try programs.map(program), date: try ManualDate(seconds: 86_400 * 59))
    return Dictionary(uniqueKeysWithValues: manual.pages.map { ($0.fileName, $0.mdoc()) })
  }

  private static let tool = #"""
    {"serializationVersion": 0, "command": {"commandName": "tool", "abstract": "Does a thing. And more.",
      "discussion": "Exit status: 0 done.\n\nExample:\n  tool sub --all 'x'", "defaultSubcommand": "sub", "subcommands": [
        {"commandName": "sub", "superCommands": ["tool"], "abstract": "Lists NFC tags.", "arguments": [
          {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "a|-",
            "names": [{"kind": "short", "name": "o"}, {"kind": "long", "name": "out-file"}],
            "preferredName": {"kind": "long", "name": "out-file"}, "defaultValue": "x", "abstract": "The file."},
          {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false,
            "names": [{"kind": "long", "name": "secret"}], "abstract": "Hidden."},
          {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": true, "valueName": "in",
            "abstract": "Files."}]},
        {"commandName": "inner", "superCommands": ["tool"], "shouldDisplay": false},
        {"commandName": "help", "superCommands": ["tool"]}]}}
    """#

  @Test("a page has the sections of mdoc, and nothing hidden")
  func page() throws {
    let pages = try Self.manual(Self.tool)
    #expect(Set(pages.keys) == ["tool.1", "tool-sub.1"])
    let root = pages["tool.1"] ?? ""
    #expect(root.contains("\n.Dd March 1, 1970\n.Dt TOOL 1\n.Os Tessera\n.Sh NAME\n.Nm tool\n.Nd does a thing\n"))
    #expect(root.contains("\n.It Xr tool-sub 1\nLists NFC tags.\nIt runs if no command is named.\n"))
    #expect(root.contains("\n.Sh EXIT STATUS\nOf this command: 0 done.\n"))
    // No example of the manual is one of this program, so that of the help is shown.
    #expect(root.contains("\n.Sh EXAMPLES\n.Bd -literal -offset indent\ntool sub \\-\\-all \\(aqx\\(aq\n.Ed\n"))
    #expect(root.hasSuffix(".Sh SEE ALSO\n.Xr tool-sub 1\n"))
    let sub = pages["tool-sub.1"] ?? ""
    #expect(sub.contains(".Sh SYNOPSIS\n.Nm tool\n.Cm sub\n.Op Fl \\-out\\-file Ar a|\\-\n.Ar in ...\n"))
    #expect(sub.contains("\n.It Fl o Ar a|\\- , Fl \\-out\\-file Ar a|\\-\nThe file.\nDefault: x.\n"))
    #expect(!sub.contains("secret") && sub.contains("\n.Sh ARGUMENTS\n"))
  }

  @Test("a program with the name of another one's command has its page there")
  func started() throws {
    let other = #"""
      {"command": {"commandName": "tool-sub", "abstract": "Helps.", "subcommands": [
        {"commandName": "deep", "superCommands": ["tool-sub"], "abstract": "Digs."}]}}
      """#
    let pages = try Self.manual(other, Self.tool)
    #expect(Set(pages.keys) == ["tool.1", "tool-sub.1"])
    let page = pages["tool-sub.1"] ?? ""
    #expect(page.contains("\n.Ss The program tool-sub\n") && page.contains("\n.It Nm tool\\-sub deep\nDigs.\n"))
    #expect(Set(try Self.manual(other).keys) == ["tool-sub.1", "tool-sub-deep.1"])
  }

  @Test("two commands with one page are an error")
  func samePage() throws {
    #expect(throws: ManualError.samePage("tool")) { try Self.manual(Self.tool, Self.tool) }
  }

  @Test("a date is the day in UTC")
  func dates() throws {
    #expect(try ManualDate(seconds: 0).text == "January 1, 1970")
    #expect(try ManualDate(seconds: 1_764_201_599).text == "November 26, 2025")
    #expect(throws: ManualError.noDate) { try ManualDate(seconds: -1) }
  }
}
