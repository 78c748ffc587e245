// swift-tools-version: 6.2
import PackageDescription

/// The fuzzing harnesses, a package of their own: they link with libFuzzer only, which brings `main`. `./run` builds
/// and starts them.
let package = Package(
  name: "fuzzing",
  dependencies: [.package(name: "tessera", path: "../..")],
  targets: [
    .executableTarget(
      name: "Fuzzing", dependencies: [.product(name: "TravelDocuments", package: "tessera")], path: "Harnesses",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .unsafeFlags(["-parse-as-library"]),
      ])
  ]
)
