// A desk: reads the zone of a document in a picture, opens the chip with it, and judges.
//
//   swift run ExampleDesk            the specimen, with the zone that is printed in it
//   swift run ExampleDesk PICTURE    the page in the picture, and the document on the reader
import Foundation
import Tessera

/// What lies on the desk.
struct Guest {
  let zone: MachineReadableZone
  let source: CardSource
  /// nil for what the user imported.
  let trust: TrustMaterial?
}

func specimen() throws -> Guest {
  let document = try SpecimenDocument()
  return Guest(
    zone: try MachineReadableZone(SpecimenDocument.content, format: .td3),
    source: .virtual(.bac, document.files), trust: document.trust)
}

func guest(inPicture path: String) throws -> Guest {
  guard let file = FileManager.default.contents(atPath: path) else {
    throw Failure(.usage, "\(path) cannot be read.", remedy: "Name a JPEG, PNG or JPEG 2000 picture.")
  }
  guard let zone = MRZReader().read(try GrayPicture(decoding: [UInt8](file))).zone?.zone else {
    throw Failure(.usage, "\(path) shows no zone without a doubt.", remedy: "Take a picture of the whole page.")
  }
  return Guest(zone: zone, source: .any(CardSelection(timeout: .seconds(60))), trust: nil)
}

do {
  let visitor = try CommandLine.arguments.dropFirst().first.map { try guest(inPicture: $0) } ?? specimen()
  print("Zone \(visitor.zone.format.rawValue) of \(visitor.zone.issuingState)")

  let document = try await visitor.source.inspect(
    InspectionRequest(key: .mrz(try MRZInformation(visitor.zone))), trust: visitor.trust
  ) { step in
    switch step {
    case .accessGranted(let access): print("Opened by \(access.rawValue)")
    case .reading(let file, let bytes, let total) where bytes == total: print("Read \(file.name), \(total) bytes")
    case .lost: print("Place the document on the reader again.")
    default: break
    }
  } onWaiting: {
    print("Place the document on the reader.")
  }
  print(document.report.headline)
  switch document.report.outcome {
  case .genuine: print("Welcome, \(document.report.document.secondaryIdentifier).")
  case .notGenuine: print("Please ask for help.")
  case .notEstablished: print("Please show another document.")
  }
} catch {
  let failure = Failure(error)
  print(failure.cause, failure.remedy ?? "")
  exit(1)
}
