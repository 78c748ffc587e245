// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with: Swift 6 language mode comes with the tools version; `any` is always
/// written; and an async function stays on its caller's executor unless it says otherwise, so that a card
/// conversation can be driven by a plain, non-`Sendable` object.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "tessera",
  products: [
    .executable(name: "tessera", targets: ["TesseraCLI"]),
    .executable(name: "tessera-bench", targets: ["Benchmarks"]),
    .library(name: "Tessera", targets: ["Tessera"]),
    // What the fuzzing harnesses in Tests/Fuzzing are built against.
    .library(name: "TravelDocuments", targets: ["Passport", "Pictures", "VirtualChip"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // C libraries, each behind a module map of its own.
    .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    .systemLibrary(name: "CLibNFC", pkgConfig: "libnfc", providers: [.apt(["libnfc-dev"])]),
    .systemLibrary(name: "COpenJPEG", pkgConfig: "libopenjp2", providers: [.apt(["libopenjp2-7-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CP11Kit", pkgConfig: "p11-kit-1", providers: [.apt(["libp11-kit-dev"])]),
    .target(name: "CPCSC", linkerSettings: [.linkedLibrary("pcsclite")]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng16", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CTSS2", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),

    // One table of failures: what went wrong, the exit status and the bridge's error code.
    .target(name: "Failures", swiftSettings: settings),
    // Actors whose C calls block run on a thread of their own.
    .target(name: "Threads", swiftSettings: settings),

    // The system's devices and what is plugged in and out.
    .target(name: "Udev", dependencies: ["CUdev", "Failures"], swiftSettings: settings),

    .target(
      name: "Cryptography",
      dependencies: ["COpenSSL", "Failures", .product(name: "SwiftASN1", package: "swift-asn1")],
      swiftSettings: settings),
    // Files that are there wholly or not at all, in folders that several processes share.
    .target(name: "DurableFiles", dependencies: ["Cryptography", "Failures", "Threads"], swiftSettings: settings),
    .target(name: "DBus", dependencies: ["CSystemd", "Failures"], swiftSettings: settings),
    .target(
      name: "SecretService", dependencies: ["Cryptography", "DBus", "Failures", "Threads"], swiftSettings: settings),
    .target(
      name: "SmartCard", dependencies: ["CLibNFC", "CPCSC", "Failures", "Threads", "Udev"], swiftSettings: settings),
    .target(
      name: "Haptics", dependencies: ["CEvdev", "DurableFiles", "Failures", "Threads", "Udev"], swiftSettings: settings),
    .target(
      name: "TrustedPlatform",
      dependencies: [
        "CTSS2", "Cryptography", "Failures", "Threads", .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    .target(
      name: "Passport",
      dependencies: [
        "Cryptography", "Failures", "SmartCard", .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    // The pictures of a document, decoded and written as PNG.
    .target(
      name: "Pictures", dependencies: ["COpenJPEG", "CPNG", "CTurboJPEG", "Failures", "Passport"],
      swiftSettings: settings),
    .target(
      name: "VirtualChip",
      dependencies: ["COpenSSL", "Cryptography", "Failures", "Passport", "SmartCard"],
      resources: [
        .embedInCode("Specimen/portrait.jpg"), .embedInCode("Specimen/portrait.jp2"),
        .embedInCode("Specimen/signature.jpg"),
      ],
      swiftSettings: settings),
    .target(
      name: "KeyStores",
      dependencies: [
        "CP11Kit", "Cryptography", "DurableFiles", "Failures", "SecretService", "Threads", "TrustedPlatform",
      ],
      swiftSettings: settings),
    // What the bridge keeps: secrets and documents, in encrypted files.
    .target(
      name: "EncryptedStorage", dependencies: ["Cryptography", "DurableFiles", "Failures", "SecretService", "Threads"],
      swiftSettings: settings),
    .target(name: "Bridge", dependencies: ["Failures", "Threads"], swiftSettings: settings),
    .target(
      name: "LinuxProviders",
      dependencies: [
        "Bridge", "Cryptography", "EncryptedStorage", "Failures", "Haptics", "KeyStores", "Passport", "SmartCard",
        "Threads", "VirtualChip",
      ],
      swiftSettings: settings),
    // The daemon: the bridge on a Unix socket and, when asked, on a loopback WebSocket.
    .target(
      name: "Service",
      dependencies: [
        "Bridge", "CSystemd", "DurableFiles", "Failures", "Threads",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    // What is wrong with this machine, and the command that mends it.
    .target(
      name: "Doctor",
      dependencies: [
        "DBus", "EncryptedStorage", "Failures", "KeyStores", "SmartCard", "Threads", "TrustedPlatform", "Udev",
      ],
      resources: [.embedInCode("Rules/70-tessera-haptics.rules"), .embedInCode("Rules/70-tessera-nfc.rules")],
      swiftSettings: settings),
    .target(
      name: "Tessera",
      dependencies: [
        "Bridge", "Cryptography", "Doctor", "EncryptedStorage", "Failures", "Haptics", "KeyStores", "LinuxProviders",
        "Passport", "Pictures", "SmartCard", "TrustedPlatform", "VirtualChip",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "TesseraCLI",
      dependencies: [
        "DurableFiles", "Service", "Tessera", "Threads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),

    // Tests. `TestSupport` finds fixtures and the built program, and runs the lab of real services.
    .target(name: "TestEnvironment", dependencies: ["COpenSSL"], path: "Tests/TestEnvironment"),
    .target(
      name: "TestSupport", dependencies: ["Failures", "TestEnvironment", "Threads"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "COpenSSL", "Haptics", "KeyStores", "Service", "ServiceLoad", "Tessera", "Threads",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Benchmarks",
      swiftSettings: settings),
    .executableTarget(
      name: "KeyHolder", dependencies: ["KeyStores", "Tessera"], path: "Tests/KeyHolder", swiftSettings: settings),
    .executableTarget(
      name: "EntryWriter", dependencies: ["Cryptography", "EncryptedStorage"], path: "Tests/EntryWriter",
      swiftSettings: settings),
    // The lab: virtual hardware below the real stacks. Its tests run in a virtual machine, by `Tests/Lab/run`.
    .target(name: "CLab", path: "Tests/Lab/CLab"),
    .target(
      name: "LabDevices", dependencies: ["CLab", "Failures", "SmartCard", "Threads", "VirtualChip"],
      path: "Tests/Lab/Devices",
      swiftSettings: settings),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "CLab", "Haptics", "LabDevices", "Service", "SmartCard", "Tessera", "TestSupport", "Udev", "VirtualChip",
      ],
      path: "Tests/Lab/Tests", swiftSettings: settings),
    .testTarget(
      name: "CryptographyTests",
      dependencies: ["Cryptography", "SmartCard", "TestSupport", .product(name: "SwiftASN1", package: "swift-asn1")],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "SmartCardTests",
      dependencies: ["Failures", "LabDevices", "Passport", "SmartCard", "TestSupport", "Threads", "VirtualChip"],
      swiftSettings: settings),
    .testTarget(
      name: "HapticsTests", dependencies: ["CEvdev", "Failures", "Haptics", "TestSupport", "Threads"],
      swiftSettings: settings),
    .testTarget(
      name: "DoctorTests", dependencies: ["Doctor", "Failures", "TestSupport", "Threads", "Udev"],
      swiftSettings: settings),
    .testTarget(
      name: "TrustedPlatformTests",
      dependencies: [
        "CTSS2", "Cryptography", "Failures", "TestSupport", "Threads", "TrustedPlatform",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PassportTests",
      dependencies: ["Cryptography", "Passport", "SmartCard", "TestSupport", "VirtualChip"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "PicturesTests", dependencies: ["CPNG", "Passport", "Pictures", "TestSupport", "VirtualChip"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "VirtualChipTests", dependencies: ["Cryptography", "Passport", "SmartCard", "TestSupport", "VirtualChip"],
      exclude: ["Fixtures"], swiftSettings: settings),
    // The bridge's vectors, to be run through any door of it: in process, a socket, a page.
    .target(
      name: "BridgeVectors",
      dependencies: [
        "Bridge", "Cryptography", "EncryptedStorage", "Failures", "KeyStores", "LinuxProviders", "TestSupport",
        "Threads",
      ],
      path: "Tests/BridgeVectors", swiftSettings: settings),
    .testTarget(
      name: "BridgeTests",
      dependencies: [
        "Bridge", "BridgeVectors", "Cryptography", "EncryptedStorage", "Failures", "Haptics", "KeyStores",
        "LinuxProviders", "Passport", "Tessera", "TestSupport", "TrustedPlatform", "VirtualChip",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    // Many clients of the service at once, and a bare echo beside it.
    .target(
      name: "ServiceLoad",
      dependencies: [
        "Threads", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/ServiceLoad", swiftSettings: settings),
    .testTarget(
      name: "ServiceTests",
      dependencies: [
        "Bridge", "BridgeVectors", "Failures", "Service", "ServiceLoad", "Tessera", "TestSupport", "Threads",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: ["Cryptography", "CSystemd", "DBus", "Failures", "SecretService", "TestSupport", "Threads"],
      swiftSettings: settings),
    .testTarget(
      name: "KeyStoresTests",
      dependencies: [
        "Cryptography", "Failures", "KeyHolder", "KeyStores", "SecretService", "TestEnvironment", "TestSupport",
        "Threads",
        "TrustedPlatform",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EncryptedStorageTests",
      dependencies: [
        "Bridge", "Cryptography", "DurableFiles", "EncryptedStorage", "EntryWriter", "Failures", "LinuxProviders",
        "SecretService", "TestSupport", "Threads",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandLineTests", dependencies: ["LabDevices", "Tessera", "TesseraCLI", "TestSupport", "Threads"],
      swiftSettings: settings),
  ]
)
