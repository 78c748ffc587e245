// swift-tools-version: 6.2
import PackageDescription

/// Programs that depend on Tessera as any other program does. `run` builds them, each without the libraries that its
/// products must not need.
let package = Package(
  name: "Clients",
  // The name is given because SwiftPM would otherwise use the name of the clone's folder.
  dependencies: [.package(name: "tessera", path: "../..")],
  targets: [
    .executableTarget(
      name: "PassportClient", dependencies: [.product(name: "TesseraPassport", package: "tessera")],
      path: "PassportClient"),
    .executableTarget(
      name: "VerificationClient", dependencies: [.product(name: "TesseraVerification", package: "tessera")],
      path: "VerificationClient"),
    .executableTarget(
      name: "ServiceClient",
      dependencies: [
        .product(name: "TesseraBridge", package: "tessera"), .product(name: "TesseraService", package: "tessera"),
      ],
      path: "ServiceClient"),
  ]
)
