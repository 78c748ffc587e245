import FCKOnboardingFlow
import Foundation
import TesseraJSON
import TestSupport

/// The files of `Fixtures`, and flows around one element.
enum DocumentSamples {
  static let names = ["all-elements", "nested-config", "tolerance", "none", "completed"]

  static func bytes(_ name: String) throws -> [UInt8] {
    let file = "Content/FCKOnboardingFlowTests/Fixtures/fck-flow-\(name).json"
    return Array(try Data(contentsOf: Fixtures.tests.appendingPathComponent(file)))
  }

  /// The flow of a text and what was left out: the severity and the place of each problem.
  static func read(_ document: String) throws -> (flow: FlowConfig, problems: [String]) {
    var problems: [FlowProblem] = []
    let flow = try FlowConfig(document.utf8, problems: &problems)
    return (flow, problems.map { "\($0.severity) \($0.place)" })
  }

  /// A flow with one screen whose root is this.
  static func document(_ root: String) -> String {
    #"{"version": 1, "screens": [{"id": "s", "type": "question", "root": \#(root)}]}"#
  }

  /// The element of a text, and the problems; their places begin at the element.
  static func element(_ element: String) throws -> (element: FlowElement?, problems: [String]) {
    let (flow, problems) = try read(document(element))
    return (flow.screens.first?.root, problems.map { $0.replacingOccurrences(of: "screens[0].root", with: "") })
  }
}

extension FlowElement {
  /// The element and those in it, each before its children.
  var all: [FlowElement] {
    switch content {
    case .stack(let stack): [self] + stack.children.flatMap(\.all)
    case .button(let button): [self] + button.children.flatMap(\.all)
    default: [self]
    }
  }
}
