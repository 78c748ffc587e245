// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "VerificationClient",
  // The name is given because SwiftPM would otherwise use the name of the clone's folder.
  dependencies: [.package(name: "tessera", path: "../../..")],
  targets: [
    .executableTarget(
      name: "VerificationClient", dependencies: [.product(name: "TesseraVerification", package: "tessera")],
      path: "Sources")
  ]
)
