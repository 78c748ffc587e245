extension CookieDomains {
  /// The domains that a session asks the person's consent for: the host of the third party's page, and the domains of
  /// the configuration. Without any, those that belong to the host (3.6).
  package static func consented(site: WebAddress, configuration: CookieDomains) -> CookieDomains {
    configuration.isEmpty
      ? CookieDomains(ofHost: site.host) : CookieDomains([site.host]).union(configuration)
  }
}
