use super::ClientBuilder;

/// What goes over the network beneath the calls.
impl ClientBuilder {
    /// The program that calls, as `product/version`, for the server's logs. It is sent in front of the SDK's own product:
    /// `User-Agent: my-app/1.2 checkfu-sdk/0.1.0`. 1 to 256 visible ASCII characters; spaces may stand between products.
    /// Default: the SDK's alone.
    ///
    /// ```
    /// use checkfu_sdk::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("key")
    ///     .user_agent("my-app/1.2")
    ///     .header("x-gateway-token", "secret")
    ///     .build()?;
    /// # Ok::<(), checkfu_sdk::Error>(())
    /// ```
    pub fn user_agent(mut self, product: impl Into<String>) -> Self {
        self.user_agent = Some(product.into());
        self
    }

    /// A further header of every request, for a gateway in between, for one. The same name again replaces the value.
    ///
    /// The value counts as a secret: no `Debug` shows it, and its parts of 8 bytes or more, as white space parts it, are
    /// taken out of a server's texts. The headers that the SDK writes itself are refused by [`build`](Self::build), which
    /// says how to set them instead.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Tells the trace that a request belongs to, sent as `traceparent` (W3C Trace Context). It is asked for every request,
    /// retries and reconnects included, in the task and the span that make it: with the feature `tracing`, that of the call
    /// or of whoever polls the stream. It must not block. `None` sends no header, and a value of another form than
    /// `00-<32 hex digits>-<16 hex digits>-<2 hex digits>` is left out: a call never fails for its trace.
    ///
    /// ```
    /// use checkfu_sdk::Client;
    ///
    /// # fn current_traceparent() -> Option<String> { None }
    /// let client = Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("key")
    ///     .traceparent(|| current_traceparent())
    ///     .build()?;
    /// # Ok::<(), checkfu_sdk::Error>(())
    /// ```
    pub fn traceparent(mut self, current: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.traceparent = Some(Box::new(current));
        self
    }

    /// The forward proxy that every request goes through, such as `http://127.0.0.1:3128`. Default: what the variables
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say, and none where the base URL is this machine.
    ///
    /// A proxy set here is used for every base URL. One in front of a plain HTTP base URL sees the API key.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// A CA certificate to trust beside the platform's, as PEM: one block `CERTIFICATE` or more. May be called again to add
    /// more. With one, a machine without any CA certificate of its own can use TLS.
    ///
    /// With rustls the platform's verifier takes it on every Unix but Android, and on Windows; with native-tls it goes to the
    /// platform's library. Needs a TLS feature.
    ///
    /// ```no_run
    /// use checkfu_sdk::Client;
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder()
    ///     .base_url("https://checkfu.internal")
    ///     .api_key("key")
    ///     .root_certificate_pem(std::fs::read("ca.pem")?)
    ///     .client_certificate_pem(std::fs::read("client.pem")?, std::fs::read("client.key")?)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn root_certificate_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// The certificate by which this client tells who it is, for a server or a gateway that asks for one (mutual TLS), and
    /// its private key, both as PEM. The certificate comes first in its text and its chain after it.
    ///
    /// The key is PKCS #8 and has no password. rustls also takes PKCS #1 and SEC 1; native-tls takes PKCS #8 alone. Needs a
    /// TLS feature. Nothing shows the key.
    pub fn client_certificate_pem(
        mut self,
        certificate: impl Into<Vec<u8>>,
        private_key: impl Into<Vec<u8>>,
    ) -> Self {
        self.client_certificate = Some((certificate.into(), private_key.into()));
        self
    }
}
