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
  /// Stands behind the label of a field that must be filled, for the eyes only.
  package var requiredMark = "*"
  /// What assistive technology says of such a field.
  package var required = "Required"
  /// In a field for a date and in one for a time, until the person chooses.
  package var chooseDate = "Choose a date"
  package var chooseTime = "Choose a time"
  package var hour = "Hour"
  package var minute = "Minute"
  /// The buttons below a calendar.
  package var clear = "Clear"
  package var choose = "Choose"
  /// What stands where a flow will be, or could not be.
  package var loading = "Loading"
  package var loadingFailed = "This could not be loaded."
  package var tryAgain = "Try again"
  package var skip = "Skip"
  /// The name of the page.
  package var title = "Welcome"

  package init() {}
}
