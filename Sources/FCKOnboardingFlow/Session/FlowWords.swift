/// The words that a showing adds to those of the document.
package struct FlowWords: Sendable, Equatable {
  package var missingEntry = "Fill in this field."
  package var missingChoice = "Choose an option."
  package var missingDate = "Choose a date."
  package var missingTime = "Choose a time."
  package var malformedEmail = "Enter a complete e-mail address, like name@example.com."
  package var malformedNumber = "Enter a number."
  package var increase = "Increase"
  package var decrease = "Decrease"
  /// The names of fields without a label and a placeholder.
  package var textField = "Text"
  package var emailField = "E-mail"
  package var phoneField = "Phone"
  package var numberField = "Number"
  package var dateField = "Date"
  package var timeField = "Time"
  package var choice = "Options"
  package var progress = "Progress"
  /// The name of the page.
  package var title = "Welcome"

  package init() {}
}
