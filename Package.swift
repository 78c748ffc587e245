// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Sources/ and Tests/ have the same folders, the floors of the house. A module stands on its own floor and lower ones:
// System < Base < Passport, Keys, Haptics < Bridge < Desktop < Content, Fleet < Programs. `uses` names what it imports,
// without what another module of the list uses already. `Tests/closure` checks both.

/// `any` is always written; and an async function stays on its caller's executor, so that a plain, non-`Sendable` object
/// can drive the exchange with a card.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The targets of a floor. The folder of each is `Sources/FLOOR/NAME`, or `Tests/FLOOR/NAME`, of which the files and folders
/// without sources are left out.
func floor(_ floor: String, _ targets: Target...) -> [Target] {
  let files = FileManager.default
  for target in targets {
    let place = "\(floor)/\(target.path ?? target.name)"
    target.path = "Sources/\(place)"
    guard !files.fileExists(atPath: "\(Context.packageDirectory)/Sources/\(place)") else { continue }
    target.path = "Tests/\(place)"
    let folder = "\(Context.packageDirectory)/Tests/\(place)"
    target.exclude +=
      (try? files.contentsOfDirectory(atPath: folder))?.filter { name in
        !([name] + (files.subpaths(atPath: "\(folder)/\(name)") ?? [])).contains { path in
          [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
        }
      } ?? []
  }
  return targets
}

extension String {
  var words: [String] { split(separator: " ").map(String.init) }
}

/// Products of other packages by their names; everything else is a target of this one.
func dependencies(_ names: String) -> [Target.Dependency] {
  let packages = [
    "ArgumentParser": "swift-argument-parser", "Logging": "swift-log", "Metrics": "swift-metrics",
    "NIOCore": "swift-nio", "NIOHTTP1": "swift-nio", "NIOPosix": "swift-nio",
    "NIOWebSocket": "swift-nio", "ServiceLifecycle": "swift-service-lifecycle", "SwiftASN1": "swift-asn1",
    "UnixSignals": "swift-service-lifecycle",
  ]
  return names.words.map { name in packages[name].map { .product(name: name, package: $0) } ?? .target(name: name) }
}

/// The files of the folder that `embeds` names become constants of the module.
func module(_ name: String, uses: String = "", embeds: String? = nil, excludes: String = "") -> Target {
  .target(
    name: name, dependencies: dependencies(uses), exclude: excludes.words, resources: embeds.map { [.embedInCode($0)] },
    swiftSettings: settings)
}

func program(_ name: String, uses: String, excludes: String = "", linking: [String] = []) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies(uses), exclude: excludes.words, swiftSettings: settings,
    linkerSettings: linking.isEmpty ? nil : [.unsafeFlags(linking, .when(configuration: .release))])
}

/// A program as others write it: without the settings of this package, and it sees the public API only.
func example(_ name: String, uses product: String) -> Target {
  .executableTarget(name: name, dependencies: dependencies(product), packageAccess: false)
}

/// The Swift of the articles, in the same way. Each file sees only what it imports.
func snippets(_ name: String, uses: String) -> Target {
  .target(
    name: name, dependencies: dependencies(uses), packageAccess: false,
    swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
}

/// The programs that `starts` names are built for the tests.
func tests(
  _ name: String, in folder: String? = nil, uses: String, starts: String = "", excludes: String = "",
  sources: String? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies("\(uses) \(starts) TestSupport"), path: folder, exclude: excludes.words,
    sources: sources?.words, swiftSettings: settings)
}

// C libraries behind module maps. Barcodes, Curl and Libraries load theirs at the first call of a function. The table has
// the names in pkg-config and in Debian.
let system =
  floor(
    "System",
    .target(name: "CTesseraBarcodes"), .target(name: "CTesseraCurl"), .target(name: "CTesseraMemory"),
    .target(name: "CTesseraThreads"),
    .target(
      name: "CTesseraLibraries", exclude: ["unlinked-libraries"],
      cSettings: [.define("TESSERA_LOAD_AT_FIRST_CALL", .when(configuration: .release))]),
    .target(name: "CTesseraMinizip", linkerSettings: [.linkedLibrary("minizip")]),
    .target(name: "CTesseraPCSC", linkerSettings: [.linkedLibrary("pcsclite")]),
    .systemLibrary(name: "CTesseraV4L2"), .target(name: "CLab"))
  + [
    ("Evdev", "libevdev", "libevdev-dev"), ("LibNFC", "libnfc", "libnfc-dev"), ("NATS", "libnats", "libnats-dev"),
    ("OpenJPEG", "libopenjp2", "libopenjp2-7-dev"), ("OpenSSL", "libcrypto", "libssl-dev"),
    ("P11Kit", "p11-kit-1", "libp11-kit-dev"), ("PNG", "libpng16", "libpng-dev"),
    ("Systemd", "libsystemd", "libsystemd-dev"), ("TSS2", "tss2-esys", "libtss2-dev"),
    ("TurboJPEG", "libturbojpeg", "libturbojpeg0-dev"), ("Udev", "libudev", "libudev-dev"),
    ("WebKitGTK", "webkitgtk-6.0", "libwebkitgtk-6.0-dev"), ("Zlib", "zlib", "zlib1g-dev"),
  ].map {
    .systemLibrary(name: "CTessera\($0)", path: "Sources/System/CTessera\($0)", pkgConfig: $1, providers: [.apt([$2])])
  }

let base = floor(
  "Base",
  module("TesseraArchive", uses: "CTesseraMinizip TesseraCore"),
  module("TesseraCore", uses: "CTesseraMemory"),
  module("TesseraCryptography", uses: "CTesseraOpenSSL SwiftASN1 TesseraCore"),
  module("TesseraDBus", uses: "CTesseraSystemd TesseraCore TesseraThreads"),
  module("TesseraDurableFiles", uses: "TesseraCore TesseraThreads"),
  module("TesseraHTTPClient", uses: "CTesseraCurl TesseraCore TesseraThreads"),
  module("TesseraJSON", uses: "TesseraCore"),
  module("TesseraLocales", uses: "TesseraCore", embeds: "Data"),
  module("TesseraMetrics", uses: "Metrics TesseraThreads"),
  module("TesseraThreads", uses: "CTesseraThreads"),
  module("TesseraUdev", uses: "CTesseraUdev TesseraCore"),

  tests("ArchiveTests", uses: "TesseraArchive"),
  tests("CryptographyTests", uses: "TesseraCryptography"),
  tests("HTTPClientTests", uses: "TesseraHTTPClient"),
  tests("LocalesTests", uses: "TesseraLocales"),
  .target(name: "TestEnvironment"),
  module("TestSupport", uses: "Logging TesseraCore TesseraThreads TestEnvironment"))

let harnesses = "TesseraMRZRecognition TesseraReportPage TesseraVirtualChip"

let passport = floor(
  "Passport",
  module("TesseraBarcodes", uses: "CTesseraBarcodes TesseraPictures TesseraThreads"),
  module("TesseraCamera", uses: "CTesseraV4L2 TesseraPictures TesseraThreads TesseraUdev"),
  module("TesseraInspection", uses: "TesseraVerification TesseraVirtualChip"),
  module("TesseraMRZRecognition", uses: "TesseraCamera", embeds: "Weights"),
  module("TesseraPassport", uses: "TesseraCryptography TesseraSmartCard"),
  module("TesseraPictures", uses: "CTesseraOpenJPEG CTesseraPNG CTesseraTurboJPEG TesseraPassport"),
  module("TesseraReaders", uses: "CTesseraLibNFC CTesseraPCSC TesseraSmartCard TesseraThreads"),
  module("TesseraReportPage", uses: "TesseraPictures TesseraSeals"),
  module("TesseraSeals", uses: "CTesseraZlib TesseraVerification"),
  module("TesseraSmartCard", uses: "TesseraCore"),
  module("TesseraVerification", uses: "TesseraArchive TesseraDurableFiles TesseraJSON TesseraPassport"),
  module("TesseraVirtualChip", uses: "TesseraPassport TesseraReaders", embeds: "Specimen/Pictures"),

  tests("BarcodesTests", uses: "TesseraBarcodes"),
  program("CameraProbe", uses: "TesseraCamera"),
  module("CameraTestSupport", uses: "TesseraPictures TestSupport"),
  tests("CameraTests", uses: "CameraTestSupport TesseraCamera", starts: "CameraProbe"),
  module("ChipTestSupport", uses: "TesseraVirtualChip TestSupport"),
  tests("FuzzingTests", in: "Fuzzing", uses: harnesses, excludes: "Corpus LibFuzzer run", sources: "Harnesses Tests"),
  tests("InspectionTests", uses: "TesseraInspection"),
  module("LabDevices", uses: "CLab TesseraPictures TesseraUdev TesseraVirtualChip"),
  program("MRZFrameReader", uses: "TesseraMRZRecognition"),
  tests("MRZRecognitionTests", uses: "TesseraMRZRecognition"),
  module("PassportTestSupport", uses: "TesseraVerification TesseraVirtualChip TestSupport"),
  tests("PassportTests", uses: "ChipTestSupport PassportTestSupport"),
  tests("PicturesTests", uses: "TesseraPictures TesseraVirtualChip"),
  tests("ReportPageTests", uses: "TesseraReportPage TesseraVirtualChip"),
  tests("SealsTests", uses: "TesseraBarcodes TesseraInspection TesseraSeals"),
  tests("SmartCardTests", uses: "LabDevices"),
  tests("VerificationTests", uses: "PassportTestSupport"),
  tests("VirtualChipTests", uses: "TesseraVirtualChip"))

let inspection = "TesseraArchive TesseraPassport TesseraReaders TesseraVerification TesseraVirtualChip"

let keys = floor(
  "Keys",
  module("TesseraKeys", uses: "CTesseraP11Kit TesseraDurableFiles TesseraSecretService TesseraTPM"),
  module("TesseraSecretService", uses: "TesseraCryptography TesseraDBus"),
  module("TesseraTPM", uses: "CTesseraTSS2 TesseraCryptography TesseraThreads"),

  program("KeyHolder", uses: "TesseraKeys"),
  tests("KeysTests", uses: "TesseraKeys", starts: "KeyHolder"),
  tests("SecretServiceTests", uses: "TesseraSecretService"),
  tests("TPMTests", uses: "TesseraTPM"))

let haptics = floor(
  "Haptics", module("TesseraHaptics", uses: "CTesseraEvdev TesseraDurableFiles TesseraUdev"),
  tests("HapticsTests", uses: "TesseraHaptics"))

let bridge = floor(
  "Bridge",
  module("TesseraBridge", uses: "TesseraJSON TesseraThreads"),
  module("TesseraEncryptedStorage", uses: "TesseraDurableFiles TesseraSecretService"),
  module("TesseraFingerprint", uses: "TesseraDBus"),
  module("TesseraGrants", uses: "TesseraBridge TesseraDurableFiles"),
  module("TesseraKiosk", uses: "TesseraHTTPClient TesseraLinuxProviders TesseraMetrics TesseraVerificationPage"),
  module(
    "TesseraLinuxProviders",
    uses: "TesseraBarcodes TesseraBridge TesseraEncryptedStorage TesseraFingerprint "
      + "TesseraHaptics TesseraKeys TesseraMRZRecognition TesseraReaders TesseraReportPage"),
  module(
    "TesseraService",
    uses: "CTesseraSystemd Logging NIOCore NIOHTTP1 NIOPosix "
      + "NIOWebSocket ServiceLifecycle TesseraGrants TesseraMetrics TesseraWebClient UnixSignals"),
  module("TesseraVerificationPage", uses: "TesseraCore TesseraWebClient", embeds: "Files"),
  module("TesseraWebClient", embeds: "Files", excludes: "Files/package.json"),

  tests("BridgeTests", uses: "BridgeVectors TesseraInspection TesseraWebClient"),
  module("BridgeVectors", uses: "TesseraLinuxProviders TestSupport"),
  tests("EncryptedStorageTests", uses: "EntryWriter TesseraLinuxProviders"),
  program("EntryWriter", uses: "TesseraEncryptedStorage"),
  tests("FingerprintTests", uses: "BridgeVectors CameraTestSupport"),
  program("KioskGuests", uses: "TesseraKiosk"),
  tests("KioskTests", uses: "KioskGuests TesseraVirtualChip"),
  tests("LabTests", uses: "LabDevices PassportTestSupport TesseraLinuxProviders TesseraService", starts: "CameraProbe"),
  module("ServiceLoad", uses: "NIOCore NIOPosix TesseraThreads"),
  tests("ServiceTests", uses: "BridgeVectors CameraTestSupport ServiceLoad TesseraService TesseraVirtualChip"))

let desktop = floor(
  "Desktop",
  module("TesseraWebContent", uses: "CTesseraWebKitGTK TesseraCore TesseraThreads"),
  module("TesseraWindow", uses: "TesseraGrants TesseraInspection TesseraKiosk TesseraWebContent"),

  module("ScenarioFrame", uses: "TesseraCryptography TesseraJSON TesseraWebContent"),
  program("WindowScenarios", uses: "BridgeVectors ScenarioFrame TesseraWindow"),
  module("WindowTestSupport", uses: "TesseraJSON TestSupport"),
  tests(
    "WindowTests", uses: "CameraTestSupport TesseraBridge TesseraVerificationPage WindowTestSupport",
    starts: "WindowScenarios"))

let content = floor(
  "Content",
  module("FCKOnboarding", uses: "FCKOnboardingClient TesseraLinuxProviders TesseraWebContent"),
  module("FCKOnboardingClient", uses: "FCKOnboardingFlow Logging TesseraDurableFiles TesseraHTTPClient"),
  module("FCKOnboardingFlow", uses: "TesseraFlowDocument", embeds: "HTML/Page"),
  module("Passage", uses: "PassageProtocol"),
  module("PassageProtocol", uses: "TesseraHTTPClient TesseraJSON"),
  module("PassageSocket", uses: "CTesseraOpenSSL TesseraHTTPClient TesseraJSON"),
  module(
    "PassageViews", uses: "PassageProtocol PassageSocket TesseraDurableFiles TesseraWebContent", embeds: "Scripts"),
  module("RampKit", uses: "RampKitFlow ReRune TesseraWindow", embeds: "Sample/Files"),
  module("RampKitFlow", uses: "TesseraFlowDocument TesseraLocales", embeds: "Pages/Scripts"),
  module(
    "ReRune", uses: "Logging TesseraBridge TesseraCryptography TesseraDurableFiles TesseraHTTPClient TesseraLocales"),
  module("ReRuneGTK", uses: "ReRune TesseraWebContent"),
  module("TesseraFlowDocument", uses: "TesseraJSON"),

  tests("FCKOnboardingFlowTests", uses: "FCKOnboardingClient"),
  tests("FCKOnboardingTests", uses: "FCKOnboarding WindowTestSupport", starts: "FCKScenarios"),
  program("FCKScenarios", uses: "FCKOnboarding ScenarioFrame"),
  tests("PassageProtocolTests", uses: "PassageProtocol PassageSocket"),
  tests("PassageSocketTests", uses: "PassageSocket"),
  tests("PassageTests", uses: "Passage WindowTestSupport", starts: "TesseraPassageProgram"),
  tests("RampKitFlowTests", uses: "RampKitFlow"),
  program("RampKitScenarios", uses: "RampKit ScenarioFrame"),
  tests("RampKitTests", uses: "RampKit WindowTestSupport", starts: "RampKitScenarios"),
  tests("ReRuneGTKTests", uses: "WindowTestSupport", starts: "ReRuneScenarios"),
  program("ReRuneScenarios", uses: "ReRuneGTK ScenarioFrame"),
  tests("ReRuneTests", uses: "ReRune"))

let fleet = floor(
  "Fleet",
  module(
    "TesseraFleet", uses: "Logging Metrics TesseraEncryptedStorage TesseraNATS TesseraReaders TesseraVerification"),
  module("TesseraNATS", uses: "CTesseraNATS TesseraJSON TesseraThreads"),

  module("FleetLab", uses: "PassportTestSupport TesseraFleet"),
  program("FleetLoad", uses: "FleetLab"),
  tests(
    "FleetTests", uses: "FleetLab TesseraBridge",
    starts: "FleetLoad TesseraCLI TesseraFleetProgram TesseraServiceProgram"),
  tests("NATSTests", uses: "FleetLab"),
  tests("DistantReadingTests", uses: "ChipTestSupport PassportTestSupport TesseraFleet"))

/// With lld, without unused and duplicate functions, and with compact relocations, which the loader applies faster. The
/// functions of common commands stand together; `Tests/Programs/Benchmarks/order` writes their list. No library product
/// contains the target, so unsafe flags are permitted.
let releaseLinking = [
  "-use-ld=lld", "--gc-sections", "--icf=safe", "-O2", "--no-export-dynamic", "-z", "pack-relative-relocs",
  "--remap-inputs-file=\(Context.packageDirectory)/Sources/System/CTesseraLibraries/unlinked-libraries",
  "--symbol-ordering-file=\(Context.packageDirectory)/Sources/Programs/TesseraCLI/functions.order",
  "--no-warn-symbol-ordering",
].flatMap { $0 == "-use-ld=lld" ? [$0] : ["-Xlinker", $0] }

let programs = floor(
  "Programs",
  program(
    "TesseraCLI", uses: "CTesseraLibraries TesseraCommandLine",
    excludes: "functions.order", linking: releaseLinking),
  module("TesseraCommandLine", uses: "ArgumentParser Tessera TesseraGrants TesseraHTTPClient"),
  module(
    "TesseraDoctor",
    uses: "TesseraCamera TesseraEncryptedStorage TesseraFingerprint TesseraKeys TesseraReaders TesseraVerification",
    embeds: "Rules"),
  program("TesseraFleetProgram", uses: "TesseraCommandLine TesseraFleet TesseraService TesseraVerificationPage"),
  program("TesseraManual", uses: "ArgumentParser"),
  program("TesseraPassageProgram", uses: "ArgumentParser PassageViews"),
  program("TesseraServiceProgram", uses: "TesseraCommandLine TesseraService TesseraVerificationPage"),
  program("TesseraWindowProgram", uses: "FCKOnboarding RampKit TesseraCommandLine"),

  module("BenchmarkPage"),
  program("Benchmarks", uses: "BenchmarkPage ReRune ServiceLoad Tessera TesseraService"),
  tests(
    "CommandLineTests", uses: "CameraTestSupport LabDevices PassportTestSupport TesseraCLI",
    starts: "TesseraServiceProgram"),
  tests("DoctorTests", uses: "TesseraDoctor"),
  snippets(
    "DocumentationSnippets", uses: "FCKOnboarding Passage RampKit ReRuneGTK Tessera TesseraFleet TesseraService"),
  tests(
    "DocumentationTests", uses: "BenchmarkPage DocumentationSnippets WindowTestSupport",
    starts: "ExampleDesk ExampleHaptics ExampleRead ExampleSign ExampleWindow"),
  tests("ManualTests", uses: "TesseraCommandLine TesseraManual", starts: "TesseraCLI TesseraServiceProgram"))

let examples = floor(
  "Examples",
  example("ExampleDesk", uses: "Tessera"), example("ExampleHaptics", uses: "TesseraHaptics"),
  example("ExampleRead", uses: "TesseraInspection"), example("ExampleSign", uses: "TesseraKeys"),
  example("ExampleWindow", uses: "TesseraWindow"))

let package = Package(
  name: "tessera",
  products: [
    ("tessera", "TesseraCLI"), ("tessera-bench", "Benchmarks"), ("tessera-fleet", "TesseraFleetProgram"),
    ("tessera-manual", "TesseraManual"), ("tessera-passage", "TesseraPassageProgram"),
    ("tessera-service", "TesseraServiceProgram"), ("tessera-window", "TesseraWindowProgram"),
  ].map { .executable(name: $0, targets: [$1]) }
    + [
      "FCKOnboarding", "FCKOnboardingClient", "FCKOnboardingFlow", "Passage", "PassageProtocol", "RampKit",
      "RampKitFlow", "ReRune", "ReRuneGTK", "Tessera", "TesseraBarcodes", "TesseraBridge", "TesseraFleet",
      "TesseraHaptics", "TesseraKeys", "TesseraPictures", "TesseraSeals", "TesseraService", "TesseraVerification",
    ].map { .library(name: $0, targets: [$0]) }
    + [
      // Programs that import its modules one by one have TesseraPassport.
      ("TesseraInspection", "TesseraInspection \(inspection)"), ("TesseraPassport", inspection),
      ("TesseraMRZRecognition", "TesseraCamera TesseraMRZRecognition"),
      ("TesseraWindow", "TesseraWebContent TesseraWindow"),
    ].map { .library(name: $0, targets: $1.words) },
  dependencies: [
    // The last one is for `swift package generate-documentation`.
    ("apple/swift-argument-parser", "1.8.2"), ("apple/swift-asn1", "1.7.4"), ("apple/swift-log", "1.16.2"),
    ("apple/swift-metrics", "2.13.0"), ("apple/swift-nio", "2.101.2"),
    ("swift-server/swift-service-lifecycle", "2.13.0"), ("swiftlang/swift-docc-plugin", "1.5.0"),
  ].map { .package(url: "https://github.com/\($0)", from: $1) },
  targets: system + base + passport + keys + haptics + bridge + desktop + content + fleet + programs + examples
    // All devices as one import; and the articles.
    + [module("Tessera", uses: "TesseraDoctor TesseraInspection TesseraLinuxProviders")],
  // The headers of libzxing are written for it.
  cxxLanguageStandard: .cxx17)

/// What these targets consist of.
@MainActor func closure(of names: Set<String>) -> Set<String> {
  let used = package.targets.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap {
    if case .targetItem(let name, _) = $0 { name } else { nil }
  }
  return names.isSuperset(of: used) ? names : closure(of: names.union(used))
}

/// Leaves out the other targets, and each product that has one of them.
@MainActor func keep(_ isKept: (Target) -> Bool) {
  package.targets = package.targets.filter(isKept)
  let names = Set(package.targets.map(\.name))
  package.products.removeAll { product in
    let targets = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
    return !names.isSuperset(of: targets)
  }
}

// What needs these headers is left out without them: windows, the fleet. SwiftPM keeps what this file once said;
// `Tests/setup` makes it ask again.
for (module, header) in [
  ("CTesseraWebKitGTK", "/usr/include/webkitgtk-6.0/webkit/webkit.h"), ("CTesseraNATS", "/usr/include/nats/nats.h"),
] where access(header, R_OK) != 0 { keep { !closure(of: [$0.name]).contains(module) } }

// The test targets that this variable names, and nothing else. `Tests/sanitized` and `Tests/run` set it.
if let names = Context.environment["TESSERA_TEST_TARGETS"]?.split(separator: ",").map(String.init) {
  // Nothing would notice a wrong name: a run without its tests passes.
  for name in names where !package.targets.contains(where: { $0.name == name && $0.type == .test }) {
    fatalError("TESSERA_TEST_TARGETS: \(name) is not a test target.")
  }
  let used = closure(of: Set(names))
  keep { used.contains($0.name) }
}

// `Tests/Passport/Fuzzing/run` sets this variable. The harnesses are then linked with libFuzzer, which provides `main`.
if Context.environment["TESSERA_LIBFUZZER"] != nil {
  keep { $0.type != .test }
  package.targets.append(
    .executableTarget(
      name: "Fuzzing", dependencies: dependencies(harnesses), path: "Tests/Passport/Fuzzing",
      exclude: ["Corpus", "Tests", "run"], sources: ["Harnesses", "LibFuzzer"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
