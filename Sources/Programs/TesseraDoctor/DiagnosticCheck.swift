/// A check of one part of the system. It runs with the rights of the user, changes nothing and reads no secret.
protocol DiagnosticCheck: Sendable {
  /// A short name of the checked part.
  var title: String { get }

  /// Runs the check and returns at least one finding. It may block in a C library without limit.
  @concurrent func findings() async -> [Finding]

  /// The finding if the check exceeds its time limit.
  var timeoutFinding: Finding { get }
}

extension DiagnosticCheck {
  var timeoutFinding: Finding {
    problem(
      "doctor.silence", "The check did not finish within \(Doctor.limit).", remedy: "Check the load of the system.")
  }

  func ok(_ id: String, _ cause: String) -> Finding { Finding(id, .ok, title: title, cause: cause) }

  func problem(
    _ id: String, _ cause: String, remedy: String, command: String? = nil, correction: Correction? = nil
  ) -> Finding {
    Finding(id, .problem, title: title, cause: cause, remedy: remedy, command: command, correction: correction)
  }

  func information(
    _ id: String, _ cause: String, remedy: String? = nil, command: String? = nil, correction: Correction? = nil
  ) -> Finding {
    Finding(id, .information, title: title, cause: cause, remedy: remedy, command: command, correction: correction)
  }
}
