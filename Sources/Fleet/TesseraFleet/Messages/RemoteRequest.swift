internal import TesseraCryptography
package import TesseraPassport

/// What a desk asks of a remote read, in JSON: an `InspectionRequest` without what proves the chip, which is the
/// inspector's decision. PACE proves it by Chip Authentication Mapping, so that a desk cannot have it skipped either.
package struct RemoteRequest: Codable, Sendable, Equatable {
  /// The MRZ information of the access key; nil if it is a card access number or if the desk has none.
  package var mrz: String?
  /// The card access number.
  package var can: String?
  /// The MRZ information for Basic Access Control, besides a card access number.
  package var basicAccessMRZ: String?
  package var dataGroups: [Int]?
  package var maximumReadLength: Int?
  package var accessAttempts: Int
  /// How long the document may be absent during the read.
  package var gracePeriodMilliseconds: Int
  package var readsCardFiles: Bool

  package init(_ request: InspectionRequest) {
    switch request.key {
    case .mrz(let information)?: mrz = information.text
    case .can(let digits)?: can = digits.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    case nil: break
    }
    basicAccessMRZ = request.basicAccessKey?.text
    dataGroups = request.dataGroups?.sorted()
    maximumReadLength = request.maximumReadLength
    accessAttempts = request.accessAttempts
    gracePeriodMilliseconds = Self.milliseconds(request.gracePeriod)
    readsCardFiles = request.readsCardFiles
  }

  /// A day, far more than any read takes.
  private static let longestTime = 86_400_000

  private static func milliseconds(_ time: Duration) -> Int {
    Int(max(.zero, min(time, .milliseconds(longestTime))) / .milliseconds(1))
  }

  /// The request for the inspector's library.
  ///
  /// - Throws: `FleetError` with the code `malformed`.
  package func inspectionRequest(_ limits: FleetLimits) throws(FleetError) -> InspectionRequest {
    guard mrz == nil || can == nil, (1...10).contains(accessAttempts),
      (0...Self.longestTime).contains(gracePeriodMilliseconds),
      maximumReadLength.map({ (1...limits.apduSize).contains($0) }) ?? true,
      (dataGroups ?? []).count <= ElementaryFile.dataGroupNumbers.count,
      (dataGroups ?? []).allSatisfy(ElementaryFile.dataGroupNumbers.contains)
    else { throw FleetError(.malformed) }
    var request = InspectionRequest(key: try key(), dataGroups: dataGroups.map(Set.init))
    request.maximumReadLength = maximumReadLength
    request.basicAccessKey = try basicAccessMRZ.map(Self.information)
    request.accessAttempts = accessAttempts
    request.gracePeriod = .milliseconds(gracePeriodMilliseconds)
    request.readsCardFiles = readsCardFiles
    return request
  }

  private func key() throws(FleetError) -> AccessKey? {
    if let mrz { return .mrz(try Self.information(mrz)) }
    guard let can else { return nil }
    guard can.utf8.count <= 32, let key = try? AccessKey(cardAccessNumber: can) else { throw FleetError(.malformed) }
    return key
  }

  /// The MRZ information in the form in which this library sends it.
  static func information(_ text: String) throws(FleetError) -> MRZInformation {
    guard text.utf8.count <= 64, let information = try? MRZInformation(typed: text), information.text == text else {
      throw FleetError(.malformed)
    }
    return information
  }
}
