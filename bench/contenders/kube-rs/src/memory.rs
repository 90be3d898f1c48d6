//! CPU and memory of this process.

use std::{error::Error, fs, mem::MaybeUninit, time::Duration};

use crate::protocol::Memory;

const MB: f64 = 1e6;

pub fn now() -> Result<Memory, Box<dyn Error>> {
    let rss_peak = usage().ru_maxrss * 1024;
    Ok(Memory { rss_mb: rss()? / MB, rss_peak_mb: rss_peak as f64 / MB, heap_mb: heap().map(|bytes| bytes / MB) })
}

/// Of all threads.
pub fn cpu() -> Duration {
    let usage = usage();
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// Linux only, as the other contenders.
fn rss() -> Result<f64, Box<dyn Error>> {
    let pages: f64 = fs::read_to_string("/proc/self/statm")?.split(' ').nth(1).ok_or("no RSS")?.parse()?;
    // SAFETY: asks for a constant.
    Ok(pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as f64)
}

/// What the allocator has handed out.
#[cfg(target_env = "gnu")]
fn heap() -> Option<f64> {
    // SAFETY: reads counters of the allocator.
    let info = unsafe { libc::mallinfo2() };
    Some((info.uordblks + info.hblkhd) as f64)
}

#[cfg(not(target_env = "gnu"))]
fn heap() -> Option<f64> {
    None
}

fn usage() -> libc::rusage {
    let mut usage = MaybeUninit::zeroed();
    // SAFETY: getrusage fills what it is given, and zeroes are valid, too.
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
}
