// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PassportClient",
  // The name is given because SwiftPM would otherwise use the name of the clone's folder.
  dependencies: [.package(name: "tessera", path: "../../..")],
  targets: [
    .executableTarget(
      name: "PassportClient", dependencies: [.product(name: "TesseraPassport", package: "tessera")], path: "Sources")
  ]
)
