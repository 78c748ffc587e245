package import TesseraFleet

extension FleetLimits {
  /// Limits that end no read of a test, however slow the machine is. A whole test bundle runs beside each test.
  package static var patient: FleetLimits {
    var limits = FleetLimits()
    limits.overall = .seconds(1200)
    for time in [\FleetLimits.begin, \.route, \.answer, \.silence, \.batch, \.proof] {
      limits[keyPath: time] = .seconds(300)
    }
    for time in [\FleetLimits.reading, \.remote, \.relay] { limits[keyPath: time] = .seconds(1200) }
    return limits
  }
}

extension InspectorConfiguration {
  /// An inspector that waits long for desks of a slow machine.
  package static var patient: InspectorConfiguration {
    var configuration = InspectorConfiguration()
    configuration.limits = .patient
    // A test that ends with a read under way is not about its answer.
    configuration.limits.drain = .seconds(1)
    return configuration
  }
}
