/// One part of the machine that the doctor looks at. It needs no rights that the user has not, changes nothing and
/// reads no secret.
protocol Examination: Sendable {
  /// What is looked at, in a few words.
  var title: String { get }

  /// What there is to say, at least one finding. May take its time, and may not come back at all.
  @concurrent func findings() async -> [Finding]

  /// What is said when it does not come back in time.
  var silence: Finding { get }
}

extension Examination {
  var silence: Finding {
    problem("doctor.silence", "There was no answer within \(Doctor.limit).", remedy: "Look at the machine's load.")
  }

  func ok(_ id: String, _ cause: String) -> Finding { Finding(id, .ok, title: title, cause: cause) }

  func problem(_ id: String, _ cause: String, remedy: String, command: String? = nil) -> Finding {
    Finding(id, .problem, title: title, cause: cause, remedy: remedy, command: command)
  }

  func information(_ id: String, _ cause: String, remedy: String? = nil, command: String? = nil) -> Finding {
    Finding(id, .information, title: title, cause: cause, remedy: remedy, command: command)
  }
}
