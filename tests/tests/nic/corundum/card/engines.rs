//! The card's DMA engine, and its own registers, as the block's masters see them.
use super::*;

impl Card {
    pub(super) fn dma_inputs(&mut self) {
        self.takes = (self.rng.random_bool(0.7), self.rng.random_range(0..4));
        self.input("m_axis_data_dma_write_desc_ready", self.takes.0.into());
        self.input("m_axis_data_dma_read_desc_ready", self.takes.0.into());
        // A write's segments are asked; of 64 bytes the larger segment has all.
        let halves = 64 / self.segment;
        let row_bits = self.row_bits;
        let (mut asks, mut rows) = (0u64, 0u64);
        if let Some(job) = self.writes.front() {
            let row = (job.place / (2 * self.segment)) as u64;
            for n in 0..halves {
                asks |= u64::from(!job.asked[n]) << n;
                rows |= row << (n * row_bits);
            }
        }
        self.asks = asks;
        self.input("data_dma_ram_rd_cmd_valid", asks);
        self.input("data_dma_ram_rd_cmd_addr", rows);
        self.input("data_dma_ram_rd_resp_ready", self.takes.1);
        if let Some(twin) = &mut self.twin {
            twin.asked(asks, self.takes.1, (rows & ((1 << row_bits) - 1)) as u8);
        }
        // A read's bytes are put in pieces, each within a segment.
        let (mut valid, mut rows, mut enables, mut data) = (0u64, 0u64, [0u8; 16], [0u8; 128]);
        let segment = self.segment;
        if let Some(job) = self.reads.front_mut().filter(|j| j.put < 64) {
            let n = job.put / segment;
            let most = (n + 1) * segment - job.put;
            let count = self.rng.random_range(1..=most);
            valid = 1 << n;
            rows = (job.place / (2 * segment)) as u64 * (1 | 1 << row_bits);
            let range = job.put..job.put + count;
            data[range.clone()].copy_from_slice(&job.bytes[range.clone()]);
            range.for_each(|i| enables[i / 8] |= 1 << (i % 8));
            job.put += count;
        }
        self.input("data_dma_ram_wr_cmd_valid", valid);
        self.input("data_dma_ram_wr_cmd_addr", rows);
        let port = self.library.input("data_dma_ram_wr_cmd_be");
        self.dut.set_bytes(port, &enables[..2 * segment / 8]);
        let port = self.library.input("data_dma_ram_wr_cmd_data");
        self.dut.set_bytes(port, &data[..2 * segment]);
        if let Some(twin) = &mut self.twin {
            twin.put(valid, (rows & ((1 << row_bits) - 1)) as u8, &enables, &data);
        }
        // Descriptors that are done are reported.
        let (failing, error) = (self.failing, self.rng.random_range(1..16));
        let error = if failing { error } else { 0 };
        let done = |j: &mut Job, complete: bool| {
            if !complete {
                return false;
            }
            j.wait = j.wait.saturating_sub(1);
            j.wait == 0
        };
        let written = self.writes.front_mut().is_some_and(|j| {
            let complete = j.answered[..halves].iter().all(|a| *a);
            done(j, complete)
        });
        self.input("s_axis_data_dma_write_desc_status_valid", written.into());
        self.input("s_axis_data_dma_write_desc_status_error", error);
        let wrote = self.writes.pop_front_if(|_| written);
        if let Some(twin) = &mut self.twin {
            twin.i.write.status = wrote.as_ref().map(|job| (job.tag as u8, error != 0));
        }
        if let Some(job) = wrote {
            self.input("s_axis_data_dma_write_desc_status_tag", job.tag);
            if !failing {
                let at = (job.address - MEMORY_AT) as usize;
                self.memory.borrow_mut()[at..at + 64].copy_from_slice(&job.bytes);
            }
        }
        let read = self.reads.front_mut().is_some_and(|j| {
            let complete = j.put >= 64;
            done(j, complete)
        });
        self.input("s_axis_data_dma_read_desc_status_valid", read.into());
        self.input("s_axis_data_dma_read_desc_status_error", error);
        let has_read = self.reads.pop_front_if(|_| read);
        if let Some(twin) = &mut self.twin {
            twin.i.read.status = has_read.as_ref().map(|job| (job.tag as u8, error != 0));
        }
        if let Some(job) = has_read {
            self.input("s_axis_data_dma_read_desc_status_tag", job.tag);
        }
    }

    pub(super) fn dma_step(&mut self) {
        let halves = 64 / self.segment;
        let taken = |c: &Card, kind: &str| {
            let name = |n: &str| format!("m_axis_data_dma_{kind}_desc_{n}");
            (c.takes.0 && c.output(&name("valid")) == 1).then(|| {
                assert_eq!(c.output(&name("len")), 64, "bytes of a descriptor");
                (c.output(&name("dma_addr")), c.output(&name("ram_addr")) as usize, c.output(&name("tag")))
            })
        };
        let (commands, answers) = (self.output("data_dma_ram_rd_cmd_ready"), self.output("data_dma_ram_rd_resp_valid"));
        let data = self.dut.get_bytes(self.library.output("data_dma_ram_rd_resp_data"));
        let (takes, asks, segment) = (self.takes.1, self.asks, self.segment);
        if let Some(job) = self.writes.front_mut() {
            for n in 0..halves {
                if job.asked[n] && !job.answered[n] && (answers & takes) >> n & 1 == 1 {
                    job.bytes[n * segment..(n + 1) * segment].copy_from_slice(&data[n * segment..(n + 1) * segment]);
                    job.answered[n] = true;
                }
                if (commands & asks) >> n & 1 == 1 {
                    job.asked[n] = true;
                }
            }
        }
        if let Some((address, place, tag)) = taken(self, "write") {
            let wait = self.rng.random_range(1..40);
            self.writes.push_back(Job { address, place, tag, bytes: vec![0; 64], wait, ..Job::default() });
        }
        if let Some((address, place, tag)) = taken(self, "read") {
            let at = (address - MEMORY_AT) as usize;
            let bytes = self.memory.borrow()[at..at + 64].to_vec();
            let wait = self.rng.random_range(1..40);
            self.reads.push_back(Job { address, place, tag, bytes, wait, ..Job::default() });
        }
    }

    pub(super) fn own_inputs(&mut self) {
        let (aw, w, read) = (self.own.aw.is_none(), self.own.w.is_none(), !self.own.read);
        let luck: [bool; 3] = self.rng.random();
        self.own.may = [aw && luck[0], w && luck[1], read && luck[2]];
        for (name, value) in [
            ("awready", self.own.may[0].into()),
            ("wready", self.own.may[1].into()),
            ("bvalid", self.own.answered.into()),
            ("bresp", 0),
            ("arready", self.own.may[2].into()),
            ("rvalid", self.own.read.into()),
            ("rresp", 0),
            // The mailbox of a scheduler of ours that is clear and has nothing to say.
            ("rdata", u64::from(SIGN << MAIL_SIGN.low | 1 << MAIL_SWEPT.low)),
        ] {
            self.input(&format!("m_axil_ctrl_{name}"), value);
        }
    }

    pub(super) fn own_step(&mut self) {
        let [awvalid, awaddr, wvalid, wdata, bready, arvalid, rready] =
            ["awvalid", "awaddr", "wvalid", "wdata", "bready", "arvalid", "rready"].map(|n| self.output(&format!("m_axil_ctrl_{n}")));
        let own = &mut self.own;
        own.answered &= bready == 0;
        own.read &= rready == 0;
        own.aw = own.aw.or((own.may[0] && awvalid == 1).then_some(awaddr as u32));
        own.w = own.w.or((own.may[1] && wvalid == 1).then_some(wdata as u32));
        own.read |= own.may[2] && arvalid == 1;
        if !own.answered
            && let Some(write) = own.aw.zip(own.w)
        {
            (own.aw, own.w, own.answered) = (None, None, true);
            self.written.push(write);
        }
    }
}
