import TesseraJSON
import Testing

@testable import RampKitFlow

@Suite struct VariableTests {
  private static func variables() -> SharedVariables {
    SharedVariables([
      OnboardingVariable(name: "name", initialValue: "Ada"), OnboardingVariable(name: "empty", initialValue: ""),
      OnboardingVariable(name: "unset"),
    ])
  }

  @Test func theStartIsTheStateOfTheDocument() {
    #expect(Self.variables().values == ["name": "Ada", "empty": ""])
  }

  @Test(arguments: [(599, "Ada"), (601, "")])
  func anEmptyValueReplacesNoValueInTheWindow(milliseconds: Int, expected: String) {
    var variables = Self.variables()
    variables.delivered(to: 0, at: .seconds(1))
    let time = Duration.seconds(1) + .milliseconds(milliseconds)
    _ = variables.merge(["name": "", "empty": ""], from: 0, isActive: true, at: time)
    #expect(variables.values["name"] == .string(expected))
    // Another value is new at any time.
    #expect(variables.merge(["name": "Bea"], from: 0, isActive: true, at: time).map(\.new) == ["Bea"])
  }

  @Test(arguments: [(599, "Ada"), (601, "Bea")])
  func aPageThatIsNotShownWritesOutsideOfTheWindow(milliseconds: Int, expected: String) {
    var variables = Self.variables()
    variables.delivered(to: 1, at: .seconds(1))
    _ = variables.merge(["name": "Bea"], from: 1, isActive: false, at: .seconds(1) + .milliseconds(milliseconds))
    #expect(variables.values["name"] == .string(expected))
  }

  @Test func variablesOfTheHostCannotBeWritten() {
    var variables = Self.variables()
    let changes = variables.merge(
      ["onboarding.currentIndex": 5, "onboarding.": 1, "onboarding": 2], from: 0, isActive: true, at: .zero)
    #expect(changes == [.init(name: "onboarding", old: nil, new: 2)])
  }

  @Test func equalValuesAreNoChange() {
    var variables = Self.variables()
    #expect(variables.merge(["name": "Ada"], from: 0, isActive: true, at: .zero) == [])
    #expect(variables.set("name", "Ada") == nil)
  }

  @Test func numberAndSizeAreLimited() {
    var variables = SharedVariables()
    for index in 0..<2_000 { _ = variables.set("\(index)", .integer(1)) }
    #expect(variables.values.count == FlowLimits.variables)
    let long = JSONValue.string(String(repeating: "x", count: FlowLimits.variablesSize))
    #expect(variables.set("0", long) == nil)
    #expect(variables.values["0"] == 1)
    let half = JSONValue.string(String(repeating: "x", count: FlowLimits.variablesSize / 2))
    #expect(variables.set("0", half) != nil)
    #expect(variables.set("1", half) == nil)
    #expect(variables.set("0", 2) != nil && variables.set("1", half) != nil)
  }

  @Test func threeChangesAreReportedOnceWithTheFirstPreviousValue() {
    var reports = VariableReports()
    for (value, time) in [("A", 0), ("Ad", 400), ("Ada", 900)] {
      reports.changed(
        .init(name: "name", old: .string(String(value.dropLast())), new: .string(value)), on: 0,
        at: .milliseconds(time))
    }
    #expect(reports.nextDue == .milliseconds(1_900))
    #expect(reports.due(at: .milliseconds(1_899)) == [])
    #expect(reports.due(at: .milliseconds(1_900)) == [.init(name: "name", previous: "", new: "Ada", page: 0)])
    #expect(reports.nextDue == nil && reports.all() == [])
  }

  @Test func leavingAFieldReportsAtOnce() {
    var reports = VariableReports()
    reports.changed(.init(name: "name", old: nil, new: "A"), on: 3, at: .zero)
    #expect(reports.left("other") == nil)
    #expect(reports.left("name") == .init(name: "name", previous: nil, new: "A", page: 3))
    #expect(reports.due(at: .seconds(9)) == [])
  }

  /// In the order of their first changes, with the page of the last one.
  @Test func reportsKeepTheirOrderAndTheirPage() {
    var reports = VariableReports()
    let names = (0..<100).map { "v\($0 * 7919 % 100)" }
    for name in names { reports.changed(.init(name: name, old: 0, new: 1), on: 1, at: .zero) }
    for name in names.reversed() { reports.changed(.init(name: name, old: 1, new: 2), on: 2, at: .seconds(1)) }
    _ = reports.left(names[0])
    reports.changed(.init(name: names[0], old: 2, new: 3), on: 4, at: .seconds(1))
    let due = reports.due(at: .seconds(2))
    #expect(due.map(\.name) == Array(names.dropFirst()) + [names[0]])
    #expect(due.dropLast().allSatisfy { $0.previous == 0 && $0.new == 2 && $0.page == 2 })
    #expect(due.last == .init(name: names[0], previous: 2, new: 3, page: 4))
  }

  /// Two spellings of one text for Unicode are two names for pages.
  @Test func namesAreComparedByBytes() {
    var reports = VariableReports()
    reports.changed(.init(name: "\u{E9}", old: nil, new: 1), on: 0, at: .zero)
    reports.changed(.init(name: "e\u{301}", old: nil, new: 2), on: 0, at: .zero)
    #expect(reports.left("e\u{301}")?.new == 2)
    #expect(reports.all().map(\.new) == [1])
  }

  /// Each change was compared with all names before: ten billion comparisons.
  @Test(.timeLimit(.minutes(1))) func manyChangesTakeNoLonger() {
    var reports = VariableReports()
    for index in 0..<200_000 {
      reports.changed(.init(name: "name \(index % 100_000)", old: nil, new: 1), on: 0, at: .zero)
    }
    #expect(reports.all().count == 100_000)
  }
}
