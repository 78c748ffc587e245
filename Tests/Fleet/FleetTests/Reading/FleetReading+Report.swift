import FleetLab
import Foundation
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip

@testable import TesseraFleet

extension FleetReading {
  /// The inspector's report.
  var report: Report? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return reportJSON.flatMap { try? decoder.decode(Report.self, from: Data($0.utf8)) }
  }
}

extension LabDocument {
  /// Whether DG14 offers Chip Authentication with a key of its own.
  var offersChipAuthentication: Bool { !profile.chipAuthentication.isEmpty }
}

extension FleetLimits {
  /// The limits of a desk that gives up after its first attempt.
  static var impatient: FleetLimits {
    var limits = FleetLimits.patient
    // No pause fits into the time of the read.
    limits.firstPause = limits.overall * 4
    return limits
  }
}
