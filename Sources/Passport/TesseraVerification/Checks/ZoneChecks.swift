import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of the machine readable zone in DG1. What is odd in a zone that the country signed proves nothing against
/// the document.
enum ZoneChecks {
  static func checkDigits(_ zone: Result<MachineReadableZone, MRZError>) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.mrzCheckDigits, status, detail) }
    switch zone {
    case .failure: return check(.unsupported, "The text in DG1 is no machine readable zone of Doc 9303.")
    case .success(let zone):
      if let wrong = zone.firstWrongCheckDigit {
        return check(.failed, "The check digit of the \(wrong.field.rawValue) in DG1 is wrong.")
      }
      if let problem = zone.problem {
        return check(.failed, "The zone in DG1 is not as Doc 9303 has it. \(problem.failure.cause)")
      }
      return check(.passed, "All \(zone.checkDigits.count) check digits of DG1 are correct.")
    }
  }

  static func keyMatch(_ zone: MachineReadableZone?, _ key: MRZInformation?) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.mrzMatchesKey, status, detail) }
    guard let key else { return check(.skipped, "No MRZ was given.") }
    guard let own = zone.flatMap({ try? MRZInformation($0) }) else {
      return check(.skipped, "DG1 has no document number and dates that can be compared.")
    }
    return own == key
      ? check(.passed, "DG1 has the document number and dates of the MRZ that was given.")
      : check(.failed, "DG1 has another document number or date than the MRZ that was given.")
  }

  /// A document is valid until the end of its last day, in UTC.
  static func expiry(_ zone: MachineReadableZone?, at date: Date) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.documentExpiry, status, detail) }
    guard let zone else { return check(.skipped, "DG1 has no date of expiry that can be read.") }
    if zone.dateOfExpiry.allSatisfy({ $0 == "<" }) { return check(.skipped, "The document has no date of expiry.") }
    if zone.statesNoEnd { return check(.passed, "The document is valid without an end.") }
    guard let expiry = MRZDate(zone.dateOfExpiry, .expiry, today: date) else {
      return check(.failed, "The date of expiry is not a valid date.")
    }
    return expiry.isOver(at: date)
      ? check(.failed, "Expired on \(expiry).") : check(.passed, "Valid until \(expiry).")
  }
}
