//! Metrics of a NIC's state: its identity, and what alarms are made of.
use crate::report::DeviceReport;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Registers the gauges of a NIC and sets them.
pub fn register(registry: &mut Registry, device: &DeviceReport) {
    let info = Family::<Vec<(String, String)>, Gauge>::default();
    let labels = [("device", &device.device), ("board", &device.board), ("version", &device.core_version)];
    info.get_or_create(&labels.map(|(name, text)| (name.into(), text.clone())).to_vec()).set(1);
    registry.register("device_info", "The NIC, its board and the version of its core; always 1", info);
    let states: [(&str, &str, i64); 7] = [
        ("ready", "1 when the NIC's RAMs are cleared, so that flows and profiles may be loaded", device.ready.into()),
        ("enabled", "1 when flows may send, 0 after timelyctl disable", device.enabled.into()),
        ("stopped", "1 when no packet leaves: not ready, not enabled, nonces without a key, or heartbeat lost", device.stopped.into()),
        ("heartbeat_lost", "1 when the NIC missed its heartbeat and stopped flows and DMA", device.heartbeat_lost.into()),
        ("dma_running", "1 while the NIC may access the host's memory", device.dma_running.into()),
        ("flows", "Flows that the NIC has", device.flows.into()),
        ("flows_in_use", "Flows that are loaded", device.flows_in_use.into()),
    ];
    for (name, help, value) in states {
        let gauge = Gauge::<i64>::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    }
}
