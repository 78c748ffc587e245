package import TesseraJSON

/// What a screen shows beside the document: the values of its elements and their marks, by the ids of the elements.
package struct ScreenState: Sendable, Equatable {
  /// A value of an element that has none here is its initial one.
  package private(set) var values: [UTF8Text: FlowValue] = [:]
  package private(set) var problems: [UTF8Text: AnswerProblem] = [:]

  package init() {}

  /// What is in an element now; nil for an element that holds nothing.
  package func value(of element: FlowElement) -> FlowValue? {
    values[UTF8Text(element.id)] ?? element.initialValue
  }

  package func problem(of element: FlowElement) -> AnswerProblem? { problems[UTF8Text(element.id)] }

  mutating func set(_ value: FlowValue, of element: FlowElement) { values[UTF8Text(element.id)] = value }

  mutating func mark(_ element: FlowElement, _ problem: AnswerProblem?) { problems[UTF8Text(element.id)] = problem }
}
