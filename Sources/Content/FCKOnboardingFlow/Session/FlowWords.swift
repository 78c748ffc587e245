/// The words that a showing adds to those of the document.
package struct FlowWords: Sendable, Equatable {
  package var missingEntry = "Fill in this field."
  package var missingChoice = "Choose an option."
  package var missingDate = "Choose a date."
  package var missingTime = "Choose a time."
  package var malformedEmail = "Enter a complete e-mail address, like name@example.com."
  package var malformedNumber = "Enter a number. This cannot be read as one: write it like"
  package var malformedDate = "This cannot be read as a date. Enter a complete date that exists."
  package var malformedTime = "This cannot be read as a time. Enter a complete time."
  package var malformedDateTime = "This cannot be read as a date and a time. Enter both completely."
  /// What a field for a date, a time, or both shows while it is empty, if it is a field for text.
  package var datePattern = "YYYY-MM-DD"
  package var timePattern = "hh:mm"
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
  /// In a field for a date and in one for a time, until the user chooses.
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

  /// How the user writes numbers.
  package var numberFormat: FlowNumberFormat

  package init(numberFormat: FlowNumberFormat = .unknown) { self.numberFormat = numberFormat }

  /// That a text cannot be read as a number, with an example in the user's format.
  var unreadableNumber: String { "\(malformedNumber) \(numberFormat.written("1234.5"))." }

  /// Which numbers a field takes; nil if it takes all.
  func outOfRange(_ range: FlowNumberRange) -> String? {
    switch (range.minimum.map(written), range.maximum.map(written)) {
    case (let least?, let most?): "Enter a number from \(least) to \(most)."
    case (let least?, nil): "Enter \(least) or more."
    case (nil, let most?): "Enter \(most) or less."
    case (nil, nil): nil
    }
  }

  /// How a date, a time or both are written.
  func pattern(_ mode: FlowDatePicker.Mode) -> String {
    switch mode {
    case .date: datePattern
    case .time: timePattern
    case .datetime: "\(datePattern) \(timePattern)"
    }
  }

  private func written(_ number: Double) -> String { numberFormat.written(DecimalText.text(number)) }
}
