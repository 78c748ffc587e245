import TesseraVerification

// Judges the saved document whose path is the argument, and prints the checks.
let report = try SavedDump.load(path: CommandLine.arguments[1]).report()
print(report.headline)
for check in report.checks { print("\(check.id.rawValue): \(check.status.rawValue)") }
