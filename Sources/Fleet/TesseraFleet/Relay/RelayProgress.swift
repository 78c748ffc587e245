internal import TesseraPassport

extension RelayMessage.Progress {
  init(_ progress: InspectionProgress) {
    switch progress {
    case .connected: self.init(step: "connected")
    case .accessing(let access): self.init(step: "accessing", name: access.rawValue)
    case .accessGranted(let access): self.init(step: "accessGranted", name: access.rawValue)
    case .reading(let file, let bytes, let total):
      self.init(step: "reading", name: file.name, bytes: bytes, total: total)
    case .authenticatingChip: self.init(step: "authenticatingChip")
    case .lost: self.init(step: "lost")
    case .returned: self.init(step: "returned")
    case .finished: self.init(step: "finished")
    }
  }

  /// nil for a step of a later version.
  var progress: InspectionProgress? {
    switch step {
    case "connected": .connected
    case "accessing": name.flatMap(AccessProtocol.init).map { .accessing($0) }
    case "accessGranted": name.flatMap(AccessProtocol.init).map { .accessGranted($0) }
    case "reading":
      ElementaryFile.all.first { $0.name == name }.map {
        .reading($0, bytes: max(0, bytes ?? 0), of: max(0, total ?? 0))
      }
    case "authenticatingChip": .authenticatingChip
    case "lost": .lost
    case "returned": .returned
    case "finished": .finished
    default: nil
    }
  }
}
