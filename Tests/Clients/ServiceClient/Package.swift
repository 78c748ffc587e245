// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ServiceClient",
  // The name is given because SwiftPM would otherwise use the name of the clone's folder.
  dependencies: [.package(name: "tessera", path: "../../..")],
  targets: [
    .executableTarget(
      name: "ServiceClient",
      dependencies: [
        .product(name: "TesseraBridge", package: "tessera"), .product(name: "TesseraService", package: "tessera"),
      ],
      path: "Sources")
  ]
)
